/**
 * Whether a terminal's program is read from: not while its screen lags, nor while every page that looks has more
 * undrawn than it should. One page that keeps up is enough. Pure.
 */
export const SCREEN_HIGH = 1536 * 1024;
/** More than a screen lets wait of its own accord (`MOST_WAITING`), or a terminal that a page held up would wait for its screen. */
export const SCREEN_LOW = 1280 * 1024;

export interface PageFlow {
  readonly undrawn: number;
  /** Full above the first, until it is not above the second. */
  readonly high: number;
  readonly low: number;
}

export interface Flow {
  readonly isPaused: boolean;
  /** Bytes that the screen has not taken up. */
  readonly pending: number;
  /** Pages that are behind do not count. */
  readonly pages: readonly PageFlow[];
}

export function mustPause({ isPaused, pending, pages }: Flow): boolean {
  if (pending > (isPaused ? SCREEN_LOW : SCREEN_HIGH)) return true;
  return arePagesFull(pages, isPaused);
}

export function arePagesFull(pages: readonly PageFlow[], isPaused: boolean): boolean {
  return pages.length > 0 && pages.every(({ undrawn, high, low }) => undrawn > (isPaused ? low : high));
}
