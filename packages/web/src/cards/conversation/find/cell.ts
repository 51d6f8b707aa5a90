/** A value that tells at once when it changes: what follows a key or a click must not wait for a frame. */
import type { Readable } from '@tugdeck/client/store';

export interface Cell<T> extends Readable<T> {
  set(value: T): void;
}

export function createCell<T>(initial: T): Cell<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const tell of [...listeners]) tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
