/**
 * The shortcut for the commonest delta: words that go on in the last line of text. They are appended to the
 * drawn text node without parsing, and taken back before the next parse, so that the parser alone decides.
 */
import type { MarkedToken } from 'marked';

/** Characters that by themselves start, end or change nothing in markdown. */
const PLAIN = /^[\p{L}\p{N} ,.?'"]+$/u;
const PLAIN_LAST = /[\p{L}\p{N} ,]$/u;
const TEXT_BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'heading', 'list', 'blockquote']);
const TEXT_PARENTS: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

export class PlainEnd {
  readonly #node: Text;
  readonly #length: number;

  /** The plain end of a drawing, if the last of `tokens`, drawn in `block`, ends in plain text as `shown` does. */
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

  /** Appends `text` if it is plain; false leaves everything to the parser. */
  take(text: string): boolean {
    // Its block may have been drawn anew since, when the sanitiser came.
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
