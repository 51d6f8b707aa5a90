import { type Cell, Listeners } from '@tugdeck/client/store';

/** An observable value that notifies synchronously, so that input is rendered in the same frame. */
export function cell<T>(initial: T): Cell<T> {
  let value = initial;
  const listeners = new Listeners();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      listeners.notify();
    },
    subscribe: (listener) => listeners.add(listener),
  };
}
