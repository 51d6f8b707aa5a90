/**
 * Splits bytes into lines of UTF-8 text. A line is decoded only when complete, so a character may be split between
 * two reads. A line over the limit is reported and skipped; it never ends the stream.
 */
export interface LineHandler {
  line(text: string): void;
  /** A line exceeded the limit: the size read so far, and its first bytes as text. */
  overlong(bytes: number, head: string): void;
  /** Called after each chunk of data, so that lines that arrived together can be processed together. */
  pushed?(): void;
}

export interface LineReader {
  push(chunk: Uint8Array): void;
  /** The end of the stream; a last line without a line feed still counts. */
  end(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HEAD = 200;

export function createLineReader(maxLine: number, handler: LineHandler): LineReader {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let size = 0;
  let head: string | undefined;

  function take(part: Uint8Array): void {
    size += part.length;
    if (head !== undefined) return;
    parts.push(part);
    if (size <= maxLine) return;
    head = decoder.decode(Buffer.concat(parts).subarray(0, HEAD));
    parts = [];
  }

  function finish(): void {
    const [bytes, overlong, whole] = [size, head, parts];
    parts = [];
    size = 0;
    head = undefined;
    if (overlong !== undefined) {
      handler.overlong(bytes, overlong);
      return;
    }
    const [only] = whole;
    let line = whole.length === 1 && only ? only : Buffer.concat(whole);
    if (line.at(-1) === RETURN) line = line.subarray(0, -1);
    if (line.length > 0) handler.line(decoder.decode(line));
  }

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const to = chunk.indexOf(NEWLINE, from);
        if (to < 0) break;
        take(chunk.subarray(from, to));
        finish();
        from = to + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
      handler.pushed?.();
    },
    end() {
      if (size > 0) finish();
    },
  };
}
