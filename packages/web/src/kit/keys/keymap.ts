/**
 * The effective shortcuts: the table with the user's choices applied. Pure, except for the cell that the page
 * reads.
 */
import type { KeyChoices } from '@tugdeck/protocol/wire/key-choices';
import { cell } from '../cell.ts';
import { KEY_TABLE, type KeyRow, type KeyScope } from './key-table.ts';
import { hasModifier, isPressed, type KeyPress, readPress, writePress } from './press.ts';

export type Keymap = ReadonlyMap<string, string>;

export const DEFAULT_KEYS: Keymap = makeKeymap({});

export const keymap = cell<Keymap>(DEFAULT_KEYS);

/** Invalid keys are left out; the action then has none. */
export function makeKeymap(choices: KeyChoices, table: readonly KeyRow[] = KEY_TABLE): Keymap {
  const map = new Map<string, string>();
  for (const { id, press, isFixed } of table) {
    const chosen = isFixed || !Object.hasOwn(choices, id) ? press : (choices[id] ?? undefined);
    const read = chosen === undefined ? undefined : readPress(chosen);
    if (read) map.set(id, writePress(read));
  }
  return map;
}

/** The action for a key in one of these scopes. A key without Ctrl, Cmd or Alt is text in an input. */
export function actionForKey(
  event: KeyPress,
  scope: KeyScope,
  { isTyping, map = keymap.get() }: { readonly isTyping: boolean; readonly map?: Keymap },
): string | undefined {
  return KEY_TABLE.find((row) => {
    const press = row.scope === scope && !row.isFixed ? map.get(row.id) : undefined;
    return press !== undefined && (!isTyping || hasModifier(press)) && isPressed(press, event);
  })?.id;
}

/** Other actions with the same key in an overlapping scope. */
export function conflictsOf(id: string, press: string, map: Keymap): readonly KeyRow[] {
  const own = KEY_TABLE.find((row) => row.id === id);
  const read = readPress(press);
  if (!own || !read) return [];
  const text = writePress(read);
  return KEY_TABLE.filter(
    (row) => row.id !== id && map.get(row.id) === text && scopesOverlap(own.scope, row.scope),
  );
}

/** Scopes of a separate card, which overlap only with the page. */
const ISOLATED_SCOPES: ReadonlySet<KeyScope> = new Set(['home', 'writing', 'files', 'terminal', 'letters']);

function scopesOverlap(a: KeyScope, b: KeyScope): boolean {
  // A terminal handles its keys before the page sees them.
  if (a === 'terminal' || b === 'terminal') return a === b;
  // Letters that answer a request come first.
  if ((a === 'letters' && b === 'request') || (a === 'request' && b === 'letters')) return false;
  if (a === b || a === 'page' || b === 'page') return true;
  return !ISOLATED_SCOPES.has(a) && !ISOLATED_SCOPES.has(b);
}

/** Why a key cannot be assigned: the browser reserves it, or it could answer a request by accident (C6). */
export function reservedReason(scope: KeyScope, press: string): string | undefined {
  const read = readPress(press);
  if (!read) return 'Not a valid shortcut';
  if (scope === 'request' && (read.key === 'enter' || read.key === 'space')) {
    return 'Enter and Space can’t answer a request';
  }
  const isTaken = read.mod && !read.alt && ['w', 't', 'n'].includes(read.key);
  return isTaken ? 'Reserved by the browser' : undefined;
}
