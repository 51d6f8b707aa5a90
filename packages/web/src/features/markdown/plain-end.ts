/**
 * Shortcut for the most common delta: plain words at the end of the last line. They are appended to the text node
 * without parsing, and removed before the next parse, so that only the parser decides.
 */
import type { MarkedToken } from 'marked';

/** Characters without meaning in Markdown. */
const PLAIN = /^[\p{L}\p{N} ,.?'"]+$/u;
const PLAIN_LAST = /[\p{L}\p{N} ,]$/u;
const TEXT_BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'heading', 'list', 'blockquote']);
const TEXT_PARENTS: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

export class PlainEnd {
  readonly #node: Text;
  readonly #length: number;

  /** The plain end of a rendering, if the last token in `block` ends in plain text like `shown`. */
  static of(block: Element, tokens: readonly MarkedToken[], shown: string): PlainEnd | undefined {
    const last = tokens.at(-1);
    if (last === undefined || !TEXT_BLOCKS.has(last.type) || !PLAIN_LAST.test(shown)) return undefined;
    let node: Node = block;
    while (node.lastChild !== null) node = node.lastChild;
    if (!(node instanceof Text) || !TEXT_PARENTS.has(node.parentElement?.localName ?? '')) return undefined;
    return shown.endsWith(node.data.slice(-16)) ? new PlainEnd(node) : undefined;
  }

  private constructor(node: Text) {
    this.#node = node;
    this.#length = node.data.length;
  }

  /** Appends `text` if it is plain; false leaves it to the parser. */
  take(text: string): boolean {
    // Its block may have been rendered again.
    if (!this.#node.isConnected) return false;
    // `www.` starts a link.
    if (!PLAIN.test(text) || text.includes('w.') || text.startsWith('.')) return false;
    this.#node.appendData(text);
    return true;
  }

  rewind(): void {
    const { length } = this.#node;
    if (length > this.#length) this.#node.deleteData(this.#length, length - this.#length);
  }
}
