/** A rendered table. It grows by rows; those before `settled` are not touched while streaming. */
import type { Tokens } from 'marked';
import type { CodeBlock } from './code-block.ts';
import type { BlockToken, DrawnBlock } from './drawn-block.ts';
import { InlineRun } from './inline.ts';
import { element, setClass } from './tags.ts';

interface DrawnCell {
  readonly node: HTMLElement;
  readonly run: InlineRun;
}

interface DrawnRow {
  readonly node: HTMLElement;
  readonly cells: DrawnCell[];
  key: string;
}

type Row = readonly Tokens.TableCell[];

export class DrawnTable implements DrawnBlock {
  readonly node = element('tableFrame', 'markdown-table');
  readonly #table = element('table');
  readonly #body = element('tableBody');
  readonly #header: DrawnRow = { node: element('tableRow'), cells: [], key: '' };
  readonly #rows: DrawnRow[] = [];

  constructor() {
    const head = element('tableHead');
    head.append(this.#header.node);
    this.#table.append(head);
    this.node.append(this.#table);
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'table') return false;
    updateRow(this.#header, token.header);
    this.updateFrom(0, token.rows);
    return true;
  }

  /** Updates the rows from `settled` on. */
  updateFrom(settled: number, rows: readonly Row[]): void {
    let index = settled;
    for (const row of rows) {
      let drawn = this.#rows[index];
      if (drawn === undefined) {
        drawn = { node: element('tableRow'), cells: [], key: '' };
        this.#rows.push(drawn);
        this.#body.append(drawn.node);
      }
      updateRow(drawn, row);
      index += 1;
    }
    for (const extra of this.#rows.splice(index)) extra.node.remove();
    if (this.#rows.length === 0) this.#body.remove();
    else if (this.#body.parentNode === null) this.#table.append(this.#body);
  }

  shows(token: BlockToken): boolean {
    if (token.type !== 'table' || token.rows.length !== this.#rows.length) return false;
    if (keyOf(token.header) !== this.#header.key) return false;
    return token.rows.every((row, index) => keyOf(row) === this.#rows[index]?.key);
  }

  codeBlocks(): CodeBlock[] {
    return [];
  }
}

function keyOf(row: Row): string {
  return row.map((cell) => `${cell.align ?? ''}|${cell.text}`).join('\n');
}

function updateRow(drawn: DrawnRow, row: Row): void {
  const key = keyOf(row);
  if (key === drawn.key && !key.includes('[')) return;
  drawn.key = key;
  row.forEach((cell, index) => {
    let target = drawn.cells[index];
    if (target === undefined) {
      const node = element(cell.header ? 'tableHeader' : 'tableCell');
      target = { node, run: new InlineRun(node) };
      drawn.cells.push(target);
      drawn.node.append(node);
    }
    setClass(target.node, cell.align === null ? '' : `markdown-align-${cell.align}`);
    target.run.update(cell.tokens);
  });
  for (const extra of drawn.cells.splice(row.length)) extra.node.remove();
}
