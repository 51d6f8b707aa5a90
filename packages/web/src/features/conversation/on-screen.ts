/** Which open requests are visible, so that the others are announced above the composer. */
import type { Readable } from '@tugdeck/client/store';

export interface OnScreen extends Readable<ReadonlySet<string>> {
  /** Observes the element of a request; returns a function that stops. */
  watch(id: string, element: Element): () => void;
}

export function createOnScreen(): OnScreen {
  const listeners = new Set<() => void>();
  let seen: ReadonlySet<string> = new Set();
  const set = (id: string, isSeen: boolean) => {
    if (seen.has(id) === isSeen) return;
    const next = new Set(seen);
    if (isSeen) next.add(id);
    else next.delete(id);
    seen = next;
    for (const notify of listeners) notify();
  };
  return {
    get: () => seen,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch(id, element) {
      const observer = new IntersectionObserver((found) => set(id, found.at(-1)?.isIntersecting ?? false));
      observer.observe(element);
      return () => {
        observer.disconnect();
        set(id, false);
      };
    },
  };
}
