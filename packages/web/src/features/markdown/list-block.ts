/**
 * A rendered list. It grows by items; those before `settled` are not touched while streaming. Item text is always a
 * paragraph, so a late blank line, which makes the list loose, moves nothing.
 */
import type { MarkedToken, Token, Tokens } from 'marked';
import type { CodeBlock } from './code-block.ts';
import type { BlockToken, DrawnBlock, PatchBlocks } from './drawn-block.ts';
import { element, setClass } from './tags.ts';

interface DrawnItem {
  readonly node: HTMLElement;
  readonly children: DrawnBlock[];
  /** Identifies the rendering of an item, except for links. */
  key: string;
}

export class DrawnList implements DrawnBlock {
  readonly node: Element;
  readonly ordered: boolean;
  readonly #start: number | '';
  readonly #items: DrawnItem[] = [];

  readonly #patchBlocks: PatchBlocks;

  constructor(token: Tokens.List, patchBlocks: PatchBlocks) {
    this.#patchBlocks = patchBlocks;
    this.ordered = token.ordered;
    this.#start = token.start;
    this.node = element(token.ordered ? 'orderedList' : 'bulletList');
    if (token.ordered && token.start !== 1) this.node.setAttribute('start', String(token.start));
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'list' || token.ordered !== this.ordered || token.start !== this.#start) return false;
    this.updateFrom(0, token.items);
    return true;
  }

  /** Updates the items from `settled` on. */
  updateFrom(settled: number, items: readonly Tokens.ListItem[]): void {
    let index = settled;
    for (const item of items) {
      let drawn = this.#items[index];
      if (drawn === undefined) {
        drawn = { node: element('listItem'), children: [], key: '' };
        this.#items.push(drawn);
        this.node.append(drawn.node);
      }
      this.#updateItem(drawn, item);
      index += 1;
    }
    for (const extra of this.#items.splice(index)) extra.node.remove();
  }

  #updateItem(drawn: DrawnItem, item: Tokens.ListItem): void {
    const key = keyOf(item);
    if (key === drawn.key && !item.text.includes('[')) return;
    drawn.key = key;
    setClass(drawn.node, item.task ? 'markdown-task' : '');
    this.#patchBlocks(drawn.node, drawn.children, withInlineCheckbox(item.tokens));
  }

  shows(token: BlockToken): boolean {
    if (token.type !== 'list' || token.ordered !== this.ordered || token.start !== this.#start) return false;
    if (token.items.length !== this.#items.length) return false;
    return token.items.every((item, index) => keyOf(item) === this.#items[index]?.key);
  }

  codeBlocks(): CodeBlock[] {
    return this.#items.flatMap((item) => item.children.flatMap((child) => child.codeBlocks()));
  }
}

function keyOf(item: Tokens.ListItem): string {
  const mark = item.task ? `[${item.checked === true ? 'x' : ' '}]` : '';
  return `${mark}\n${item.text}`;
}

/** Tight lists have the checkbox beside the text, loose ones inside it: always puts it inside. */
function withInlineCheckbox(tokens: Token[]): Token[] {
  const [box, text, ...rest] = tokens as MarkedToken[];
  if (box?.type !== 'checkbox') return tokens;
  if (text?.type !== 'text' && text?.type !== 'paragraph') {
    return [{ type: 'text', raw: box.raw, text: box.raw, tokens: [box] }, ...tokens.slice(1)];
  }
  return [{ ...text, raw: box.raw + text.raw, tokens: [box, ...(text.tokens ?? [])] }, ...rest];
}
