/**
 * Which entries of a card are expanded. Kept outside of the views, because rows are unmounted while scrolling, and
 * find, keys and links expand entries too.
 */
export interface Folds {
  /** Undefined: the view's default applies. */
  isOpen(id: string): boolean | undefined;
  set(id: string, isOpen: boolean): void;
  subscribe(listener: () => void): () => void;
}

export function createFolds(): Folds {
  const chosen = new Map<string, boolean>();
  const listeners = new Set<() => void>();
  return {
    isOpen: (id) => chosen.get(id),
    set(id, isOpen) {
      if (chosen.get(id) === isOpen) return;
      chosen.set(id, isOpen);
      for (const notify of [...listeners]) notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A group's key differs from that of its first entry. */
export function groupFold(first: string): string {
  return `group ${first}`;
}
