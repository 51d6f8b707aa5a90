/**
 * Key combinations as text: `Mod+Shift+F`, `Alt+1`, `?`, or two keys in sequence, `G H`. `Mod` is Ctrl or Cmd. Parses, formats and compares them.
 * Pure.
 */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

interface Press {
  readonly mod: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** In lower case. */
  readonly key: string;
}

const NAMED: Readonly<Record<string, string>> = {
  ' ': 'space',
  '↑': 'arrowup',
  '↓': 'arrowdown',
  '←': 'arrowleft',
  '→': 'arrowright',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  esc: 'escape',
};
const MODIFIERS = new Set(['control', 'shift', 'alt', 'meta', 'altgraph', 'dead', 'process', 'unidentified']);
const HELD: Readonly<Record<string, 'mod' | 'alt' | 'shift'>> = {
  mod: 'mod',
  ctrl: 'mod',
  cmd: 'mod',
  alt: 'alt',
  option: 'alt',
  shift: 'shift',
};

/** Undefined if the text is not a key combination. */
export function readPress(text: string): Press | undefined {
  const sequence = /^(\w) (\w)$/.exec(text.trim());
  if (sequence) return { mod: false, alt: false, shift: false, key: text.trim().toLowerCase() };
  const parts = text.trim() === '+' ? ['+'] : text.trim().replace(/\+\+$/, '+plus').split('+');
  const name = parts.pop()?.trim().toLowerCase() ?? '';
  const held = parts.map((part) => HELD[part.trim().toLowerCase()]);
  const key = name === 'plus' ? '+' : (NAMED[name] ?? name);
  if (key === '' || held.includes(undefined) || MODIFIERS.has(key)) return undefined;
  return { mod: held.includes('mod'), alt: held.includes('alt'), shift: held.includes('shift'), key };
}

/** The canonical form. */
export function writePress({ mod, alt, shift, key }: Press): string {
  const name =
    key === '+'
      ? 'Plus'
      : key.length === 1 || key.includes(' ')
        ? key.toUpperCase()
        : (PROPER[key] ?? capital(key));
  return [mod ? 'Mod' : '', alt ? 'Alt' : '', shift ? 'Shift' : '', name].filter(Boolean).join('+');
}

const PROPER: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  escape: 'Esc',
  pageup: 'PageUp',
  pagedown: 'PageDown',
};

/** The combination of an event, for assigning keys; undefined while only a modifier is held. */
export function pressOf(event: KeyPress): string | undefined {
  const key = NAMED[event.key.toLowerCase()] ?? event.key.toLowerCase();
  if (MODIFIERS.has(key)) return undefined;
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  const base = isHeld ? (letterOf(event.code) ?? key) : key;
  return writePress({
    mod: event.ctrlKey || event.metaKey,
    alt: event.altKey,
    shift: event.shiftKey && (isHeld || !isSymbol(base)),
    key: base,
  });
}

export function isPressed(text: string, event: KeyPress): boolean {
  const press = readPress(text);
  if (!press) return false;
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (press.mod !== (ctrlKey || metaKey) || press.alt !== altKey) return false;
  const pressed = NAMED[key.toLowerCase()] ?? key.toLowerCase();
  const isHeld = press.mod || press.alt;
  // With a modifier or in other scripts a key may produce another character, so its position is compared too.
  const isSame = pressed === press.key || (isHeld && letterOf(code) === press.key);
  // Some symbols can only be typed with Shift.
  return isSame && (press.shift === shiftKey || (isSymbol(press.key) && !press.shift));
}

export function hasModifier(text: string): boolean {
  const press = readPress(text);
  return press !== undefined && (press.mod || press.alt);
}

function letterOf(code: string): string | undefined {
  return /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code)?.slice(1).find(Boolean)?.toLowerCase();
}

function isSymbol(key: string): boolean {
  return key.length === 1 && !/[\p{L}\p{N}]/u.test(key);
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
