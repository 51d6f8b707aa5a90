import { type Cell, Listeners } from '@tugdeck/client/store';

/** A value of the page itself; whoever listens is told at once, so that what was typed or chosen is drawn in this frame. */
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
