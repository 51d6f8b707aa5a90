/**
 * The streaming markdown view of one text: `append` draws new text at the end, `replace` brings the drawing to
 * what a full parse says and touches only what differs. Settled blocks are never parsed or touched again
 * while text arrives. Framework-free on purpose: the way from delta to pixels runs through no render.
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
  /** Called once for each code block when it will not change any more (a place for highlighting). */
  onCodeClosed?: (block: CodeBlock) => void;
  /** Called with the formulas in lines that were drawn as their source. */
  onFormulas?: (spans: readonly HTMLElement[]) => void;
}

export interface MarkdownView {
  /** The source so far. */
  readonly text: string;
  /** Draws more text; call at most once per animation frame. */
  append(text: string): void;
  /** Draws the whole text as a full parse gives it; changes nothing that is already so. */
  replace(fullText: string): void;
  destroy(): void;
}

/** A list or table whose first items are settled: the tail goes on inside it. */
interface OpenContainer {
  readonly block: DrawnList | DrawnTable;
  readonly settled: number;
  /** Put before the tail to parse it in place: the first two lines of a table. */
  readonly prefix: string;
  /** What a list item must begin with to belong to the same list. */
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

/** Blocks that may define links or notes for the text after them. */
const DEFINING: ReadonlySet<string> = new Set(['def', 'blockquote', 'list', 'note', 'fold']);
const TABLE_HEAD = /^[^\n]*\n[^\n]*\n/;

class StreamingView implements MarkdownView {
  readonly #sections: Sections;
  readonly #options: MarkdownViewOptions;
  readonly #removeActions: () => void;
  #text = '';
  /** Every drawn block; those from `#settled` on belong to the tail. */
  #blocks: DrawnBlock[] = [];
  #settled = 0;
  /** How many blocks have had their code blocks announced as closed. */
  #announced = 0;
  #tail = '';
  #heldReturn = false;
  #links: Links | undefined;
  #container: OpenContainer | undefined;
  #fence: Fence | undefined;
  #plainEnd: PlainEnd | undefined;
  readonly #rest = new DrawThrottle(() => this.#drawTail());

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
    if (this.#rest.isOver()) {
      if (!this.#plainEnd?.take(fresh)) this.#drawTail();
    } else {
      // Undrawn text stands between the drawn end and what comes next.
      this.#plainEnd?.rewind();
      this.#plainEnd = undefined;
    }
  }

  replace(fullText: string): void {
    this.#text = fullText;
    this.#rest.cancel();
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
    this.#rest.cancel();
    this.#removeActions();
    this.#sections.clear();
    this.#blocks = [];
  }

  /** CRLF may be cut in two by a delta: a trailing CR waits for its successor. */
  #withoutReturns(text: string): string {
    if (!this.#heldReturn && !text.includes('\r')) return text;
    const whole = this.#heldReturn ? `\r${text}` : text;
    this.#heldReturn = whole.endsWith('\r');
    return (this.#heldReturn ? whole.slice(0, -1) : whole).replace(/\r\n?/g, '\n');
  }

  #drawTail(): void {
    this.#rest.after(() => {
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

  /** Draws the first token into the open container if it goes on there; returns what is left to draw. */
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

  /** Moves the start of the tail over everything that later text cannot change. */
  #advance(tokens: MarkedToken[], links: Links, prefixLength: number): void {
    const lastIndex = tokens.findLastIndex(isDrawn);
    const last = tokens[lastIndex];
    if (last === undefined) return;
    const startOf = (index: number) =>
      tokens.slice(0, index).reduce((sum, token) => sum + token.raw.length, -prefixLength);
    const lastNewline = this.#tail.lastIndexOf('\n');
    let index = lastIndex;
    let start = startOf(index);
    // A line that is not whole may yet belong to the block before it: then that one stays open, too.
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

  /** Items are settled up to the last one whose first line is whole. */
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

  /** All rows that end with a newline are settled. */
  #settleRows(token: MarkedToken & { type: 'table' }): void {
    const block = this.#container?.block ?? this.#blocks.at(-1);
    const prefix = this.#container?.prefix ?? TABLE_HEAD.exec(this.#tail)?.[0];
    if (!(block instanceof DrawnTable) || prefix === undefined) return;
    const from = this.#container === undefined ? prefix.length : 0;
    const end = this.#tail.lastIndexOf('\n') + 1;
    if (end <= from) return;
    const lines = this.#tail.slice(from, end);
    const count = lines.split('\n').length - 1;
    // A blank line ends the table: leave it to the parser to say where.
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

  /** Keeps the equal blocks at both ends and patches what lies between. */
  #align(tokens: MarkedToken[]): void {
    const old = this.#blocks;
    let head = 0;
    while (head < Math.min(old.length, tokens.length) && accepts(old[head], tokens[head])) head += 1;
    let foot = 0;
    const most = Math.min(old.length, tokens.length) - head;
    while (foot < most && accepts(old.at(-1 - foot), tokens.at(-1 - foot))) foot += 1;
    this.#patch(head, old.length - foot, tokens.slice(head, tokens.length - foot));
  }

  /** Brings the blocks from `from` to before `to` to `tokens`, in place where they allow it. */
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

/** The kind of bullet a list is made of: `-`, `*`, `+`, `.` or `)`. */
function bulletOf(raw: string): string {
  return /^\s*(?:\d{1,9}([.)])|([-*+]))/.exec(raw)?.slice(1).join('') ?? '';
}
