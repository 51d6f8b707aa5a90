/**
 * Which output is nothing but lines of text, and which of these lines nobody will see: they would go out at the top of what
 * is kept while the rest is written. So a screen need not take up all of a flood, in the host as in a page. Pure.
 */

const ESC = 0x1b;
const BEL = 0x07;
const [CAN, SUB] = [0x18, 0x1a];
const LF = 0x0a;
const CR = 0x0d;
/** Controls of one character that are written as two bytes begin with this one. */
const C1_LEAD = 0xc2;

/** Letters, and of the controls those that do nothing beyond their line. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 0x20 && byte !== 0x7f && byte !== C1_LEAD) || [0x07, 0x08, 0x09, LF, CR].includes(byte)),
);

type State = 'ground' | 'escape' | 'sequence' | 'address' | 'string';

/** Follows the output as a terminal does, as far as to know where text is text. */
export class PlainText {
  #state: State = 'ground';

  /** How many bytes at its beginning are nothing but text. Must see everything that is written, in order. */
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
      // The second byte tells which control it is; what that begins is seen by its end.
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

/** The same letters begin the same things in both forms, 0x40 apart. */
function afterEscape(byte: number): State {
  const letter = byte >= 0x80 && byte <= 0x9f ? byte - 0x40 : byte;
  if (letter === 0x5b) return 'sequence';
  if (letter === 0x5d) return 'address';
  if ([0x50, 0x58, 0x5e, 0x5f].includes(letter)) return 'string';
  // Controls in between are done, and the sequence goes on.
  return letter <= 0x2f || letter === 0x7f ? 'escape' : 'ground';
}

/**
 * The end of plain text that holds so many line ends, from the end of a line on, so that the column is known; all of it
 * where it has no more than that.
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
