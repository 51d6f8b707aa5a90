/** Pinned sessions (D46): first in their project, the last pinned one first. Shared by all browsers. */
import { persisted, stringList } from './persisted.ts';

const MAX_PINS = 200;

export const pinned = persisted<readonly string[]>('pinned', stringList, { isShared: true });

export function togglePin(session: string): void {
  const others = pinned.get().filter((id) => id !== session);
  pinned.set(others.length < pinned.get().length ? others : [session, ...others].slice(0, MAX_PINS));
}

/** Pinned items first, the others in their order. */
export function pinnedFirst<T extends { readonly id: string }>(
  items: readonly T[],
  pins: readonly string[],
): readonly T[] {
  if (pins.length === 0) return items;
  const place = ({ id }: T) => {
    const at = pins.indexOf(id);
    return at < 0 ? pins.length : at;
  };
  return [...items].sort((a, b) => place(a) - place(b));
}
