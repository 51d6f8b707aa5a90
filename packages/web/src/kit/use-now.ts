/** A shared clock for elapsed times; it ticks only while subscribed. */
import { useSyncExternalStore } from 'react';

function createTicker(everyMs: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let now = Date.now();
  return {
    subscribe(listener: () => void): () => void {
      // Later subscribers get the time that the others show.
      if (listeners.size === 0) now = Date.now();
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const notify of listeners) notify();
      }, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    get: () => now,
  };
}

const seconds = createTicker(1_000);
const halfMinutes = createTicker(30_000);

export function useNow(pace: 'second' | 'half-minute'): number {
  const ticker = pace === 'second' ? seconds : halfMinutes;
  return useSyncExternalStore(ticker.subscribe, ticker.get);
}
