import type { Readable } from '@tugdeck/client/store';
import { useCallback, useSyncExternalStore } from 'react';

export function useReadable<T>(source: Readable<T>): T {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  return useSyncExternalStore(subscribe, () => source.get());
}

/** A part of it; draws again only when the part is another one. Make `select` give equal things for equal facts. */
export function useSelected<T, S>(source: Readable<T>, select: (value: T) => S): S {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  return useSyncExternalStore(subscribe, () => select(source.get()));
}
