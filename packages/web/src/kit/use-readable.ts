import type { Readable } from '@tugdeck/client/store';
import { useCallback, useSyncExternalStore } from 'react';

export function useReadable<T>(source: Readable<T>): T {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  return useSyncExternalStore(subscribe, () => source.get());
}

/**
 * Subscribes to a part of a value; renders only when the part changes. `select` must return equal values for equal
 * data.
 */
export function useSelected<T, S>(source: Readable<T>, select: (value: T) => S): S {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  return useSyncExternalStore(subscribe, () => select(source.get()));
}
