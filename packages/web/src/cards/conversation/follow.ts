/**
 * When the list keeps to its end (C11). Pure. Growing content never ends following, only a move upwards does:
 * otherwise a delta between two frames would look like the user had scrolled away.
 */
export const NEAR = 50;

export interface ScrollPlace {
  readonly top: number;
  readonly viewport: number;
  readonly height: number;
}

export interface Following {
  readonly isFollowing: boolean;
  readonly top: number;
}

export function isNearEnd({ top, viewport, height }: ScrollPlace): boolean {
  return height - top - viewport <= NEAR;
}

export function afterScroll(before: Following, place: ScrollPlace): Following {
  if (isNearEnd(place)) return { isFollowing: true, top: place.top };
  const isFollowing = before.isFollowing && place.top >= before.top;
  return { isFollowing, top: place.top };
}

/** How many drawn rows came after the last one that was seen while following. */
export function countNew(order: readonly string[], lastSeen: string | undefined): number {
  if (lastSeen === undefined) return 0;
  const at = order.lastIndexOf(lastSeen);
  return at < 0 ? 0 : order.length - 1 - at;
}

/** Whether rows were put before the first one that was there: then the place is kept from the end. */
export function isPrepended(before: readonly string[], after: readonly string[]): boolean {
  const end = before.at(-1);
  return before.length > 0 && after.length > before.length && before[0] !== after[0] && after.at(-1) === end;
}
