/**
 * Which entries of a card are expanded. Kept outside of the views, because rows are unmounted while scrolling, and
 * find, keys and links expand entries too.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { useCard } from './card-context.tsx';

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

/** Whether an entry is expanded, and a setter. */
export function useFold(
  id: string,
  defaultOpen: boolean,
): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const { folds } = useCard();
  const subscribe = useCallback((listener: () => void) => folds.subscribe(listener), [folds]);
  const chosen = useSyncExternalStore(subscribe, () => folds.isOpen(id));
  return [chosen ?? defaultOpen, (isOpen) => folds.set(id, isOpen)];
}

/** A group's key differs from that of its first entry. */
export function groupFold(first: string): string {
  return `group ${first}`;
}
