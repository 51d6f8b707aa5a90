/**
 * Decides whether to read from a terminal's program: not while its screen lags, nor while every attached page is
 * full. One page that keeps up is enough. Pure.
 */
export const SCREEN_HIGH = 1536 * 1024;
/**
 * More than a screen buffers on purpose (`MAX_PENDING`); otherwise a terminal paused by a page would also wait for
 * its screen.
 */
export const SCREEN_LOW = 1280 * 1024;

export interface PageFlow {
  readonly undrawn: number;
  /** A page is full above `high` and stays full until it drops to `low`. */
  readonly high: number;
  readonly low: number;
}

export interface Flow {
  readonly isPaused: boolean;
  /** Bytes that the screen has not parsed yet. */
  readonly pending: number;
  /** Without pages that are behind. */
  readonly pages: readonly PageFlow[];
}

export function mustPause({ isPaused, pending, pages }: Flow): boolean {
  if (pending > (isPaused ? SCREEN_LOW : SCREEN_HIGH)) return true;
  return arePagesFull(pages, isPaused);
}

export function arePagesFull(pages: readonly PageFlow[], isPaused: boolean): boolean {
  return pages.length > 0 && pages.every(({ undrawn, high, low }) => undrawn > (isPaused ? low : high));
}
