/**
 * Reads a streaming fenced code block line by line, so that its text is never parsed twice. Pure. Yields exactly
 * the text that the full parser returns: the last newline is held back, and so is a line that may be the closing
 * fence.
 */
const OPENING = /^( {0,3})(`{3,}|~{3,})([^\n]*)\n/;
const LEADING_SPACE = /^\s+/;

export interface FenceProgress {
  /** Text to append to the block. */
  readonly added: string;
  /** The text after the closing fence; undefined while the fence is open. */
  readonly rest: string | undefined;
}

export class OpenFence {
  readonly #closing: RegExp;
  readonly #mayClose: RegExp;
  readonly #indent: number;
  #line = '';
  #shownOfLine = false;
  #hasLine = false;

  /** The fence at the start of `source`; undefined while its first line is incomplete. */
  static at(source: string): { fence: OpenFence; progress: FenceProgress } | undefined {
    const opening = OPENING.exec(source);
    if (opening === null) return undefined;
    const [whole, indent = '', marker = ''] = opening;
    const fence = new OpenFence(indent.length, marker);
    return { fence, progress: fence.feed(source.slice(whole.length)) };
  }

  private constructor(indent: number, marker: string) {
    const char = marker.charAt(0);
    this.#closing = new RegExp(`^ {0,3}${char}{${marker.length},} *$`);
    this.#mayClose = new RegExp(`^(?:\\s*| {0,3}${char}+ *)$`);
    // The parser removes the indentation of backtick fences only.
    this.#indent = char === '`' ? indent : 0;
  }

  feed(text: string): FenceProgress {
    let added = '';
    let from = 0;
    for (;;) {
      const newline = text.indexOf('\n', from);
      if (newline === -1) break;
      const piece = text.slice(from, newline);
      from = newline + 1;
      if (this.#shownOfLine) {
        added += piece;
      } else {
        const line = this.#line + piece;
        if (this.#closing.test(line)) return { added, rest: text.slice(from) };
        added += this.#begin(line);
      }
      this.#line = '';
      this.#shownOfLine = false;
    }
    const partial = text.slice(from);
    if (this.#shownOfLine) {
      added += partial;
    } else {
      this.#line += partial;
      if (!this.#mayClose.test(this.#line)) {
        added += this.#begin(this.#line);
        this.#shownOfLine = true;
      }
    }
    return { added, rest: undefined };
  }

  #begin(line: string): string {
    const space = this.#indent > 0 ? (LEADING_SPACE.exec(line)?.[0].length ?? 0) : 0;
    const text = line.slice(Math.min(space, this.#indent));
    const lead = this.#hasLine ? '\n' : '';
    this.#hasLine = true;
    return lead + text;
  }
}
