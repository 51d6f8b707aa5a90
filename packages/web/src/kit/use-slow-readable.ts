import type { Readable } from '@tugdeck/client/store';
import { useCallback, useRef, useSyncExternalStore } from 'react';

/**
 * Like `useReadable`, but renders at most once per interval: the first change at once, later ones together.
 */
export function useSlowReadable<T>(source: Readable<T>, everyMs: number): T {
  const held = useRef<T>(undefined);
  if (held.current === undefined) held.current = source.get();
  const subscribe = useCallback(
    (listener: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let hasMore = false;
      const publish = () => {
        hasMore = false;
        held.current = source.get();
        listener();
        timer = setTimeout(() => {
          timer = undefined;
          if (hasMore) publish();
        }, everyMs);
      };
      const off = source.subscribe(() => {
        if (timer === undefined) publish();
        else hasMore = true;
      });
      if (held.current !== source.get()) publish();
      return () => {
        off();
        clearTimeout(timer);
      };
    },
    [source, everyMs],
  );
  return useSyncExternalStore(subscribe, () => held.current as T);
}
