/**
 * What is open and what is folded in one card, by entry. Outside of the views, because rows come and go with
 * scrolling, and because find, keys and links must be able to open what they lead to.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { useCard } from './card-context.tsx';

export interface Folds {
  /** Undefined: nobody chose, the view decides. */
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

/** Whether this one is open, and how to change it. */
export function useFold(
  id: string,
  byItself: boolean,
): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const { folds } = useCard();
  const subscribe = useCallback((listener: () => void) => folds.subscribe(listener), [folds]);
  const chosen = useSyncExternalStore(subscribe, () => folds.isOpen(id));
  return [chosen ?? byItself, (isOpen) => folds.set(id, isOpen)];
}

/** A group is folded apart from its first entry. */
export function groupFold(first: string): string {
  return `group ${first}`;
}
