/**
 * Rules for when the list follows its end (C11). Pure. While it follows, rows grow and the list corrects its
 * position; neither counts as scrolling by the user, so positions are compared with the end as last reached.
 */
export const NEAR = 50;

export interface ScrollPlace {
  readonly top: number;
  readonly viewport: number;
  readonly height: number;
}

export interface Following {
  readonly isFollowing: boolean;
  /** Content height when the end was last reached. */
  readonly height: number;
  /** The last scroll position. */
  readonly top: number;
}

export function isNearEnd({ top, viewport, height }: ScrollPlace): boolean {
  return height - top - viewport <= NEAR;
}

/**
 * After leaving the end, only scrolling towards it resumes following, not being near it: late scroll events may
 * report an earlier position, and slow scrolling stays near for long.
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

/** The number of rows added since the last one seen while following. */
export function countNew(order: readonly string[], lastSeen: string | undefined): number {
  if (lastSeen === undefined) return 0;
  const at = order.lastIndexOf(lastSeen);
  return at < 0 ? 0 : order.length - 1 - at;
}

/** Whether rows were added before the first one: then the position is kept relative to the end. */
export function isPrepended(before: readonly string[], after: readonly string[]): boolean {
  const end = before.at(-1);
  return before.length > 0 && after.length > before.length && before[0] !== after[0] && after.at(-1) === end;
}
