/**
 * Recognizes output that is plain lines, and the lines that would scroll out of the scrollback. They need not be
 * written to the screen. Used by host and page. Pure.
 */

const ESC = 0x1b;
const BEL = 0x07;
const [CAN, SUB] = [0x18, 0x1a];
const LF = 0x0a;
const CR = 0x0d;
/** First byte of a two-byte C1 control. */
const C1_LEAD = 0xc2;

/** Printable bytes, and controls that only affect their line. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 0x20 && byte !== 0x7f && byte !== C1_LEAD) || [0x07, 0x08, 0x09, LF, CR].includes(byte)),
);

type State = 'ground' | 'escape' | 'sequence' | 'address' | 'string';

/** Tracks escape sequences far enough to recognize plain text. */
export class PlainText {
  #state: State = 'ground';

  /** Length of the plain text at the start of `data`. Must be called with all output, in order. */
  takes(data: Uint8Array): number {
    let plain = this.#state === 'ground' ? data.length : 0;
    for (let at = 0; at < data.length; at++) {
      if (this.#state === 'ground') {
        while (at < data.length && PLAIN[data[at] ?? 0] === 1) at++;
        if (at === data.length) break;
        plain = Math.min(plain, at);
      }
      this.#state = next(this.#state, data[at] ?? 0);
    }
    return plain;
  }
}

function next(state: State, byte: number): State {
  if (byte === ESC) return 'escape';
  if (byte === CAN || byte === SUB) return 'ground';
  switch (state) {
    case 'ground':
      // The second byte selects the control; its end is recognized like an escape's.
      return byte === C1_LEAD ? 'escape' : 'ground';
    case 'escape':
      return afterEscape(byte);
    case 'sequence':
      return byte >= 0x40 && byte <= 0x7e ? 'ground' : 'sequence';
    case 'address':
      return byte === BEL ? 'ground' : 'address';
    case 'string':
      return 'string';
  }
}

/** Both forms use the same letters, 0x40 apart. */
function afterEscape(byte: number): State {
  const letter = byte >= 0x80 && byte <= 0x9f ? byte - 0x40 : byte;
  if (letter === 0x5b) return 'sequence';
  if (letter === 0x5d) return 'address';
  if ([0x50, 0x58, 0x5e, 0x5f].includes(letter)) return 'string';
  // Controls inside a sequence are executed, and the sequence continues.
  return letter <= 0x2f || letter === 0x7f ? 'escape' : 'ground';
}

/**
 * The end of plain text that contains this many line ends, starting at a line end so that the column is known; all of
 * it if it has fewer.
 */
export function lastLines(text: Uint8Array, lines: number): Uint8Array {
  let left = lines;
  for (let at = text.length - 1; at > 0; at--) {
    if (text[at] !== LF) continue;
    left -= 1;
    if (left < 0 && text[at - 1] === CR) return text.subarray(at - 1);
  }
  return text;
}
