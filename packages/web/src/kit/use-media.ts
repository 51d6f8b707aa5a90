import { useSyncExternalStore } from 'react';

/** On a phone one card is shown at a time. */
export const PHONE = '(max-width: 640px)';
/** Fingers are the main pointer. */
export const TOUCH = '(pointer: coarse)';

/** One list per query for the whole page: the browser keeps every list that was ever created for a while. */
const lists = new Map<string, ReturnType<typeof mediaList>>();

function mediaList(query: string) {
  const list = matchMedia(query);
  return {
    subscribe: (listener: () => void) => {
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    matches: () => list.matches,
  };
}

function listFor(query: string) {
  const known = lists.get(query) ?? mediaList(query);
  lists.set(query, known);
  return known;
}

export function useMedia(query: string): boolean {
  const { subscribe, matches } = listFor(query);
  return useSyncExternalStore(subscribe, matches);
}
