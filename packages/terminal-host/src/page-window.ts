/**
 * The number of bytes that a page may have unrendered before it pauses the program. Ctrl+C waits for all of them in a
 * flood, so the window is only large enough to keep the page busy. It follows how long output waits in the page, not
 * bytes, because a line of three letters takes as long to render as one of eighty. Has no clock.
 */
import { ACK_EVERY } from '@tugdeck/protocol/terminal/terminal-feed';

/**
 * The window grows if output waits less than the first, because the page may have been idle, and shrinks if it waits
 * more than the second.
 */
const MIN_WAIT_MS = 15;
const MAX_WAIT_MS = 35;
const GROW = 1.25;
const SHRINK = 0.75;
const INITIAL_WINDOW = 64 * 1024;
export const MIN_WINDOW = 32 * 1024;
export const MAX_WINDOW = 512 * 1024;

export class PageWindow {
  #bytes = INITIAL_WINDOW;
  /** Bytes to be rendered before the next adjustment: everything sent under the previous window. */
  #toRender = 0;

  /** Above this the page is full. */
  get high(): number {
    return this.#bytes;
  }

  /** The page is full until it drops to this, so that it always has output to render. */
  get low(): number {
    return this.#bytes - ACK_EVERY;
  }

  /** The page rendered `bytes` of the `had` bytes it held; the last of them waited `waitedMs`, if reported. */
  drawn(bytes: number, had: number, waitedMs: number | undefined): void {
    this.#toRender -= bytes;
    // If less was in flight, the program had no more output and the window was not the limit.
    if (waitedMs === undefined || had < this.low || this.#toRender > 0) return;
    if (waitedMs < MIN_WAIT_MS) this.#bytes = Math.min(this.#bytes * GROW, MAX_WINDOW);
    else if (waitedMs > MAX_WAIT_MS) this.#bytes = Math.max(this.#bytes * SHRINK, MIN_WINDOW);
    this.#toRender = had;
  }
}
