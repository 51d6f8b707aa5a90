/**
 * The streaming Markdown view of one text: `append` renders new text at the end, `replace` applies a full parse and
 * touches only what differs. Settled blocks are never parsed or touched again while text arrives. Without a
 * framework on purpose: no React render between delta and pixels.
 */
import type { Links, MarkedToken } from 'marked';
import { DrawnCode, drawBlock, isDrawn } from './blocks.ts';
import { type CodeActionOptions, installCodeActions } from './code-actions.ts';
import type { CodeBlock, GrowingCode } from './code-block.ts';
import { DrawThrottle } from './draw-throttle.ts';
import type { DrawnBlock } from './drawn-block.ts';
import { takeFreshFormulas } from './formula-span.ts';
import { heal } from './heal.ts';
import { lex } from './lex.ts';
import { DrawnList } from './list-block.ts';
import { OpenFence } from './open-fence.ts';
import { PlainEnd } from './plain-end.ts';
import { Sections } from './sections.ts';
import { DrawnTable } from './table-block.ts';

export interface MarkdownViewOptions extends CodeActionOptions {
  /** Called once per code block when it is complete, for highlighting. */
  onCodeClosed?: (block: CodeBlock) => void;
  /** Called with new inline formulas, which show their source. */
  onFormulas?: (spans: readonly HTMLElement[]) => void;
}

export interface MarkdownView {
  /** The source so far. */
  readonly text: string;
  /** Renders more text; call at most once per animation frame. */
  append(text: string): void;
  /** Renders the whole text from a full parse; changes only what differs. */
  replace(fullText: string): void;
  destroy(): void;
}

/** A list or table whose first items are settled and that the tail continues. */
interface OpenContainer {
  readonly block: DrawnList | DrawnTable;
  readonly settled: number;
  /** Prepended to the tail for parsing: the first two lines of a table. */
  readonly prefix: string;
  /** The bullet of the items of this list. */
  readonly bullet: string;
}

interface Fence {
  readonly reader: OpenFence;
  readonly code: GrowingCode;
}

export function createMarkdownView(root: HTMLElement, options: MarkdownViewOptions = {}): MarkdownView {
  root.classList.add('markdown');
  const removeActions = installCodeActions(root, options);
  return new StreamingView(root, options, removeActions);
}

/** Blocks that may define links or footnotes for later text. */
const DEFINING: ReadonlySet<string> = new Set(['def', 'blockquote', 'list', 'note', 'fold']);
const TABLE_HEAD = /^[^\n]*\n[^\n]*\n/;

class StreamingView implements MarkdownView {
  readonly #sections: Sections;
  readonly #options: MarkdownViewOptions;
  readonly #removeActions: () => void;
  #text = '';
  /** All rendered blocks; those from `#settled` on belong to the tail. */
  #blocks: DrawnBlock[] = [];
  #settled = 0;
  /** Number of blocks whose code blocks were reported as closed. */
  #announced = 0;
  #tail = '';
  #heldReturn = false;
  #links: Links | undefined;
  #container: OpenContainer | undefined;
  #fence: Fence | undefined;
  #plainEnd: PlainEnd | undefined;
  readonly #throttle = new DrawThrottle(() => this.#drawTail());

  constructor(root: HTMLElement, options: MarkdownViewOptions, removeActions: () => void) {
    this.#sections = new Sections(root);
    this.#options = options;
    this.#removeActions = removeActions;
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    if (text === '') return;
    this.#text += text;
    let fresh = this.#withoutReturns(text);
    if (this.#fence !== undefined) {
      const { added, rest } = this.#fence.reader.feed(fresh);
      if (added !== '') this.#fence.code.append(added);
      if (rest === undefined) return;
      this.#leaveFence();
      this.#settle(this.#blocks.length);
      fresh = rest;
    }
    this.#tail += fresh;
    if (this.#tail === '') return;
    if (this.#throttle.mayDraw()) {
      if (!this.#plainEnd?.take(fresh)) this.#drawTail();
    } else {
      // Unrendered text lies between the rendered end and the new text.
      this.#plainEnd?.rewind();
      this.#plainEnd = undefined;
    }
  }

  replace(fullText: string): void {
    this.#text = fullText;
    this.#throttle.cancel();
    this.#plainEnd?.rewind();
    this.#plainEnd = undefined;
    this.#tail = '';
    this.#heldReturn = false;
    this.#leaveFence();
    this.#container = undefined;
    const { tokens, links } = lex(fullText);
    this.#links = Object.keys(links).length > 0 ? links : undefined;
    this.#align(tokens.filter(isDrawn));
    this.#settle(this.#blocks.length);
  }

  destroy(): void {
    this.#throttle.cancel();
    this.#removeActions();
    this.#sections.clear();
    this.#blocks = [];
  }

  /** A delta may split CRLF: a trailing CR waits for the next one. */
  #withoutReturns(text: string): string {
    if (!this.#heldReturn && !text.includes('\r')) return text;
    const whole = this.#heldReturn ? `\r${text}` : text;
    this.#heldReturn = whole.endsWith('\r');
    return (this.#heldReturn ? whole.slice(0, -1) : whole).replace(/\r\n?/g, '\n');
  }

  #drawTail(): void {
    this.#throttle.after(() => {
      this.#drawTailNow();
      return this.#tail.length;
    });
  }

  #drawTailNow(): void {
    this.#plainEnd?.rewind();
    const container = this.#container;
    const prefix = container?.prefix ?? '';
    const shown = heal(this.#tail, { inTable: container?.block instanceof DrawnTable });
    const lexed = lex(prefix + shown, this.#links);
    const tokens = this.#intoContainer(lexed.tokens);
    this.#patch(this.#settled, this.#blocks.length, tokens.filter(isDrawn));
    const last = this.#blocks.at(-1);
    const isWhole = last !== undefined && shown === this.#tail;
    this.#plainEnd = isWhole ? PlainEnd.of(last.node, lexed.tokens, shown) : undefined;
    this.#advance(lexed.tokens, lexed.links, prefix.length);
  }

  /** Renders the first token into the open container if it continues it; returns the remaining tokens. */
  #intoContainer(tokens: MarkedToken[]): MarkedToken[] {
    const container = this.#container;
    if (container === undefined) return tokens;
    const [first, ...rest] = tokens;
    const { block, settled } = container;
    if (block instanceof DrawnList && first?.type === 'list' && bulletOf(first.raw) === container.bullet) {
      block.updateFrom(settled, first.items);
      return rest;
    }
    if (block instanceof DrawnTable && first?.type === 'table') {
      block.updateFrom(settled, first.rows);
      return rest;
    }
    block.updateFrom(settled, []);
    this.#container = undefined;
    return tokens;
  }

  /** Moves the start of the tail past everything that later text cannot change. */
  #advance(tokens: MarkedToken[], links: Links, prefixLength: number): void {
    const lastIndex = tokens.findLastIndex(isDrawn);
    const last = tokens[lastIndex];
    if (last === undefined) return;
    const startOf = (index: number) =>
      tokens.slice(0, index).reduce((sum, token) => sum + token.raw.length, -prefixLength);
    const lastNewline = this.#tail.lastIndexOf('\n');
    let index = lastIndex;
    let start = startOf(index);
    // An incomplete line may still belong to the block before it, which then stays open too.
    if (lastNewline < start && !endsWithBlankLine(this.#tail.slice(0, start))) {
      index = tokens.slice(0, lastIndex).findLastIndex(isDrawn);
      start = index === -1 ? 0 : startOf(index);
    }
    if (index > 0 && start > 0) {
      this.#keepLinks(tokens.slice(0, index), links);
      this.#container = undefined;
      this.#settle(this.#blocks.length - (index === lastIndex ? 1 : 2));
      this.#tail = this.#tail.slice(start);
      start = 0;
    }
    if (index !== lastIndex || start > 0 || lastNewline === -1) return;
    if (last.type === 'code') this.#enterFence();
    else if (last.type === 'list') this.#settleItems(last);
    else if (last.type === 'table') this.#settleRows(last);
  }

  #keepLinks(tokens: readonly MarkedToken[], links: Links): void {
    if (tokens.some(({ type }) => DEFINING.has(type))) {
      if (Object.keys(links).length > 0) this.#links = links;
    }
  }

  #enterFence(): void {
    const block = this.#blocks.at(-1);
    const opened = OpenFence.at(this.#tail);
    if (opened === undefined || !(block instanceof DrawnCode)) return;
    const { fence, progress } = opened;
    block.block.setText(progress.added);
    if (progress.rest === undefined) {
      this.#fence = { reader: fence, code: block.block };
      block.block.setGrowing(true);
      this.#tail = '';
    } else {
      this.#settle(this.#blocks.length);
      this.#tail = progress.rest;
    }
  }

  #leaveFence(): void {
    this.#fence?.code.setGrowing(false);
    this.#fence = undefined;
  }

  /** Settles items up to the last one whose first line is complete. */
  #settleItems(token: MarkedToken & { type: 'list' }): void {
    const block = this.#container?.block ?? this.#blocks.at(-1);
    if (!(block instanceof DrawnList)) return;
    const lengthOf = (items: readonly { raw: string }[]) =>
      items.reduce((sum, item) => sum + item.raw.length, 0);
    let whole = token.items.slice(0, -1);
    if (this.#tail.lastIndexOf('\n') < lengthOf(whole)) whole = whole.slice(0, -1);
    if (whole.length === 0) return;
    const settled = (this.#container?.settled ?? 0) + whole.length;
    this.#container = { block, settled, prefix: '', bullet: bulletOf(token.raw) };
    this.#settle(this.#blocks.length);
    this.#tail = this.#tail.slice(lengthOf(whole));
  }

  /** Settles all rows that end with a newline. */
  #settleRows(token: MarkedToken & { type: 'table' }): void {
    const block = this.#container?.block ?? this.#blocks.at(-1);
    const prefix = this.#container?.prefix ?? TABLE_HEAD.exec(this.#tail)?.[0];
    if (!(block instanceof DrawnTable) || prefix === undefined) return;
    const from = this.#container === undefined ? prefix.length : 0;
    const end = this.#tail.lastIndexOf('\n') + 1;
    if (end <= from) return;
    const lines = this.#tail.slice(from, end);
    const count = lines.split('\n').length - 1;
    // A blank line ends the table; the parser decides where.
    if (count > token.rows.length || /\n[ \t]*\n/.test(`\n${lines}`)) return;
    const settled = (this.#container?.settled ?? 0) + count;
    this.#container = { block, settled, prefix, bullet: '' };
    this.#settle(this.#blocks.length);
    this.#tail = this.#tail.slice(end);
  }

  #settle(count: number): void {
    this.#settled = count;
    const { onCodeClosed } = this.#options;
    if (onCodeClosed === undefined) return;
    for (
      let block = this.#blocks[this.#announced];
      this.#announced < count;
      block = this.#blocks[this.#announced]
    ) {
      if (block === this.#container?.block) return;
      this.#announced += 1;
      for (const code of block?.codeBlocks() ?? []) onCodeClosed(code);
    }
  }

  /** Keeps equal blocks at both ends and updates those in between. */
  #align(tokens: MarkedToken[]): void {
    const old = this.#blocks;
    let head = 0;
    while (head < Math.min(old.length, tokens.length) && accepts(old[head], tokens[head])) head += 1;
    let foot = 0;
    const most = Math.min(old.length, tokens.length) - head;
    while (foot < most && accepts(old.at(-1 - foot), tokens.at(-1 - foot))) foot += 1;
    this.#patch(head, old.length - foot, tokens.slice(head, tokens.length - foot));
  }

  /** Updates the blocks from `from` to before `to`, in place if possible. */
  #patch(from: number, to: number, tokens: readonly MarkedToken[]): void {
    const old = this.#blocks.slice(from, to);
    const drawn = tokens.map((token, index) => (old[index]?.update(token) ? old[index] : drawBlock(token)));
    old.forEach((block, index) => {
      if (drawn[index] !== block) block.node.remove();
    });
    this.#blocks.splice(from, to - from, ...drawn);
    this.#sections.arrange(this.#blocks, from);
    this.#tellFormulas();
  }

  #tellFormulas(): void {
    const spans = takeFreshFormulas();
    if (spans.length > 0) this.#options.onFormulas?.(spans);
  }
}

function accepts(block: DrawnBlock | undefined, token: MarkedToken | undefined): boolean {
  return block !== undefined && token !== undefined && block.shows(token) && block.update(token);
}

function endsWithBlankLine(text: string): boolean {
  const gap = text.slice(text.trimEnd().length);
  return gap.indexOf('\n') !== gap.lastIndexOf('\n');
}

/** The bullet type of a list: `-`, `*`, `+`, `.` or `)`. */
function bulletOf(raw: string): string {
  return /^\s*(?:\d{1,9}([.)])|([-*+]))/.exec(raw)?.slice(1).join('') ?? '';
}
