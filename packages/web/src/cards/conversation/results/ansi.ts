/**
 * Terminal text with its colours as data. Only what sets colour and weight is kept; every other escape
 * sequence is dropped, and a carriage return begins the line anew. Pure.
 */
export interface AnsiPart {
  readonly text: string;
  /** Class names, from a fixed set. */
  readonly classes: string;
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const ESC = '\u001b';
// CSI sequences, OSC strings up to BEL or ST, and two-character escapes.
const SEQUENCE = new RegExp(
  `${ESC}(?:\\[([0-9;:?]*)[ -/]*([@-~])|\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

interface Style {
  colour?: string | undefined;
  isBold?: boolean;
  isDim?: boolean;
  isUnderlined?: boolean;
}

export function parseAnsi(text: string): AnsiPart[] {
  const source = withoutOverwritten(text);
  if (!source.includes(ESC)) return source === '' ? [] : [{ text: source, classes: '' }];
  const parts: AnsiPart[] = [];
  let style: Style = {};
  let from = 0;
  const push = (piece: string) => {
    if (piece !== '') parts.push({ text: piece, classes: classesOf(style) });
  };
  for (const match of source.matchAll(SEQUENCE)) {
    push(source.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') style = withCodes(style, match[1] ?? '');
  }
  push(source.slice(from));
  return parts;
}

export function plainText(text: string): string {
  return parseAnsi(text)
    .map((part) => part.text)
    .join('');
}

/** Progress bars write one line many times: only the last writing counts. */
function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1))
    .join('\n');
}

function withCodes(style: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let next: Style = { ...style };
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next.isBold = true;
    else if (code === 2) next.isDim = true;
    else if (code === 4) next.isUnderlined = true;
    else if (code === 22) next = { ...next, isBold: false, isDim: false };
    else if (code === 24) next.isUnderlined = false;
    else if (code === 39) next.colour = undefined;
    else if (code >= 30 && code <= 37) next.colour = NAMES[code - 30];
    else if (code >= 90 && code <= 97) next.colour = `bright-${NAMES[code - 90]}`;
    else if (code === 38 || code === 48) {
      const palette = numbers[at + 1] === 5 ? numbers[at + 2] : undefined;
      if (code === 38 && palette !== undefined && palette < 16) next.colour = paletteName(palette);
      at += numbers[at + 1] === 5 ? 2 : 4;
    }
  }
  return next;
}

function paletteName(index: number): string {
  return index < 8 ? `${NAMES[index]}` : `bright-${NAMES[index - 8]}`;
}

function classesOf({ colour, isBold, isDim, isUnderlined }: Style): string {
  const classes: string[] = [];
  if (colour) classes.push(`ansi-${colour}`);
  if (isBold) classes.push('ansi-bold');
  if (isDim) classes.push('ansi-dim');
  if (isUnderlined) classes.push('ansi-underline');
  return classes.join(' ');
}
