/**
 * Whether a terminal's program is read from: not while its screen lags, nor while every page that looks has more
 * undrawn than it should. One page that keeps up is enough. Pure.
 */
import { UNDRAWN_HIGH, UNDRAWN_LOW } from '@tugdeck/protocol/terminal/terminal-feed';

export const SCREEN_HIGH = 1024 * 1024;
/** More than a screen lets wait of its own accord (`backlog`), or a terminal that a page held up would wait for its screen. */
export const SCREEN_LOW = 768 * 1024;

export interface Flow {
  readonly isPaused: boolean;
  /** Bytes that the screen has not taken up. */
  readonly pending: number;
  /** Bytes that each page has not drawn; pages that are behind do not count. */
  readonly undrawn: readonly number[];
}

export function mustPause({ isPaused, pending, undrawn }: Flow): boolean {
  if (pending > (isPaused ? SCREEN_LOW : SCREEN_HIGH)) return true;
  return arePagesFull(undrawn, isPaused);
}

export function arePagesFull(undrawn: readonly number[], isPaused: boolean): boolean {
  const bound = isPaused ? UNDRAWN_LOW : UNDRAWN_HIGH;
  return undrawn.length > 0 && undrawn.every((bytes) => bytes > bound);
}
