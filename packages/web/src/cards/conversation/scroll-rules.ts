/**
 * When the list keeps to its end (C11). Pure. Rows are measured and grow while it follows, and the list corrects its
 * place for that: neither may look as if the user had gone away. So the place is judged by the end as it was when
 * it was last reached.
 */
export const NEAR = 50;

export interface ScrollPlace {
  readonly top: number;
  readonly viewport: number;
  readonly height: number;
}

export interface Following {
  readonly isFollowing: boolean;
  /** Height of the content when the end was last reached. */
  readonly height: number;
  /** Where it was last seen. */
  readonly top: number;
}

export function isNearEnd({ top, viewport, height }: ScrollPlace): boolean {
  return height - top - viewport <= NEAR;
}

/**
 * Who left the end follows again by going towards it, not by being near it: word of an earlier place may come after the
 * hand that left it, and a slow hand is near for long.
 */
export function afterScroll(before: Following, place: ScrollPlace): Following {
  const { top, height } = place;
  if (!before.isFollowing) {
    return isNearEnd(place) && top > before.top ? { isFollowing: true, height, top } : { ...before, top };
  }
  if (isNearEnd(place)) return { isFollowing: true, height, top };
  const isCorrected = isNearEnd({ ...place, height: before.height });
  return { ...before, isFollowing: isCorrected, top };
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
