/** Keys that soft keyboards don't have, as a terminal sends them. Pure. */
export type ExtraKey = 'escape' | 'tab' | 'interrupt' | 'left' | 'down' | 'up' | 'right';

const ARROWS = { up: 'A', down: 'B', right: 'C', left: 'D' } as const;
const PLAIN = { escape: '\x1b', tab: '\t', interrupt: '\x03' } as const;

export interface KeyState {
  readonly isCtrl: boolean;
  /** The program switched the arrow keys to application mode (DECCKM). */
  readonly isApplication: boolean;
}

export function sequenceOf(key: ExtraKey, { isCtrl, isApplication }: KeyState): string {
  if (key === 'escape' || key === 'tab' || key === 'interrupt') return PLAIN[key];
  if (isCtrl) return `\x1b[1;5${ARROWS[key]}`;
  return `${isApplication ? '\x1bO' : '\x1b['}${ARROWS[key]}`;
}

/** The control character of a typed one, such as 0x03 for C; other text as it is. */
export function withCtrl(text: string): string {
  if (text === ' ') return '\0';
  if (text === '?') return '\x7f';
  return /^[@-_a-z]$/.test(text) ? String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f) : text;
}
