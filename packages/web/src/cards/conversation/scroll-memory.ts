/** Where each conversation was left, as long as the page lives: switching back shows the same place (D3). */
import type { CacheSnapshot } from 'virtua';

export interface ScrollMemory {
  readonly isFollowing: boolean;
  readonly top: number;
  readonly rows: number;
  readonly cache: CacheSnapshot;
}

const places = new Map<string, ScrollMemory>();

export function recallScroll(session: string): ScrollMemory | undefined {
  return places.get(session);
}

export function rememberScroll(session: string, place: ScrollMemory): void {
  places.set(session, place);
}
