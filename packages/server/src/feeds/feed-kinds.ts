/** Every feed the server offers, in one list: an area adds its line here and is known to all pages. */
import type { Rooms } from '../rooms.ts';
import type { AnyFeedKind } from './feed-kind.ts';

export function feedKinds(_rooms: Rooms): readonly AnyFeedKind[] {
  return [];
}
