/**
 * Parses terminal text with ANSI colors. Only color and weight are kept; other escape sequences are dropped, and a
 * carriage return restarts the line. Pure.
 */
import { ANSI_SEQUENCE, withoutOverwritten } from '@tugdeck/protocol/export/plain-terminal';
import { limitMarks } from '@tugdeck/protocol/visible-text';

export interface AnsiPart {
  readonly text: string;
  /** Class names from a fixed set. */
  readonly classes: string;
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const ESC = '\u001b';

interface Style {
  color?: string | undefined;
  ground?: string | undefined;
  isInverse?: boolean;
  isItalic?: boolean;
  isBold?: boolean;
  isDim?: boolean;
  isUnderlined?: boolean;
}

/** Maximum number of styled parts; the rest is plain, so that the page stays fast. */
const MAX_PARTS = 2_000;

export function parseAnsi(text: string): AnsiPart[] {
  const source = limitMarks(withoutOverwritten(text));
  if (!source.includes(ESC)) return source === '' ? [] : [{ text: source, classes: '' }];
  const parts: AnsiPart[] = [];
  let style: Style = {};
  let from = 0;
  const push = (piece: string) => {
    if (piece === '') return;
    const last = parts.at(-1);
    const classes = parts.length < MAX_PARTS ? classesOf(style) : '';
    if (last && last.classes === classes) parts[parts.length - 1] = { text: last.text + piece, classes };
    else parts.push({ text: piece, classes });
  };
  for (const match of source.matchAll(ANSI_SEQUENCE)) {
    push(source.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') style = withCodes(style, match[1] ?? '');
  }
  push(source.slice(from));
  return parts;
}

function withCodes(style: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let next: Style = { ...style };
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next.isBold = true;
    else if (code === 2) next.isDim = true;
    else if (code === 3) next.isItalic = true;
    else if (code === 4) next.isUnderlined = true;
    else if (code === 7) next.isInverse = true;
    else if (code === 23) next.isItalic = false;
    else if (code === 27) next.isInverse = false;
    else if (code === 22) next = { ...next, isBold: false, isDim: false };
    else if (code === 24) next.isUnderlined = false;
    else if (code === 39) next.color = undefined;
    else if (code >= 30 && code <= 37) next.color = NAMES[code - 30];
    else if (code >= 90 && code <= 97) next.color = `bright-${NAMES[code - 90]}`;
    else if (code === 49) next.ground = undefined;
    else if (code >= 40 && code <= 47) next.ground = NAMES[code - 40];
    else if (code >= 100 && code <= 107) next.ground = NAMES[code - 100];
    else if (code === 38 || code === 48) {
      const isPalette = numbers[at + 1] === 5;
      const [red = 0, green = 0, blue = 0] = numbers.slice(at + 2);
      const name = isPalette ? paletteName(red) : nearestName(red, green, blue);
      if (code === 38) next.color = name;
      else next.ground = name.replace('bright-', '');
      at += isPalette ? 2 : 4;
    }
  }
  return next;
}

/** We have sixteen colors, so that every theme keeps them readable; the other 240 map to the nearest one. */
function paletteName(index: number): string {
  if (index < 8) return `${NAMES[index]}`;
  if (index < 16) return `bright-${NAMES[index - 8]}`;
  if (index >= 232) return index < 244 ? 'bright-black' : 'white';
  const cube = index - 16;
  const level = (digit: number) => (digit % 6) * 51;
  return nearestName(level(Math.floor(cube / 36)), level(Math.floor(cube / 6)), level(cube));
}

/** By the dominant components; bright if it is brighter than the normal color. */
function nearestName(red: number, green: number, blue: number): string {
  const max = Math.max(red, green, blue);
  const min = Math.min(red, green, blue);
  if (max - min < 40) return max < 64 ? 'black' : max < 160 ? 'bright-black' : 'white';
  const half = (max + min) / 2;
  const index = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
  return max > 220 ? `bright-${NAMES[index]}` : `${NAMES[index]}`;
}

function classesOf({ color, ground, isBold, isDim, isItalic, isInverse, isUnderlined }: Style): string {
  const classes: string[] = [];
  if (color) classes.push(`ansi-${color}`);
  if (ground) classes.push(`ansi-on-${ground}`);
  if (isInverse) classes.push('ansi-inverse');
  if (isItalic) classes.push('ansi-italic');
  if (isBold) classes.push('ansi-bold');
  if (isDim) classes.push('ansi-dim');
  if (isUnderlined) classes.push('ansi-underline');
  return classes.join(' ');
}
