/**
 * How much one page may have undrawn before it holds a program up. All of it is what Ctrl+C waits for in a flood, so it is no
 * more than keeps the page drawing: by how long things lie in the page before they are drawn, and not by bytes, for a line of
 * three letters takes as long to draw as one of eighty. Knows no clock.
 */
import { ACK_EVERY } from '@tugdeck/protocol/terminal/terminal-feed';

/** Wider where things lie shorter than the first, for the page may have waited for them; narrower where longer than the second. */
const LEAST_WAIT_MS = 15;
const MOST_WAIT_MS = 35;
const WIDER = 1.25;
const NARROWER = 0.75;
const BEGIN = 64 * 1024;
export const WINDOW_LEAST = 32 * 1024;
export const WINDOW_MOST = 512 * 1024;

export class PageWindow {
  #bytes = BEGIN;
  /** What is still to be drawn before it is judged again: all that was sent under the bound before. */
  #toDraw = 0;

  /** Above this the page is full. */
  get high(): number {
    return this.#bytes;
  }

  /** And not below this again: something is always left to be drawn meanwhile. */
  get low(): number {
    return this.#bytes - ACK_EVERY;
  }

  /** The page has drawn so much of what it had; the last of it lay there so long, where it says that. */
  drawn(bytes: number, had: number, waitedMs: number | undefined): void {
    this.#toDraw -= bytes;
    // Where less was under way, the program had no more to say and the bound was none.
    if (waitedMs === undefined || had < this.low || this.#toDraw > 0) return;
    if (waitedMs < LEAST_WAIT_MS) this.#bytes = Math.min(this.#bytes * WIDER, WINDOW_MOST);
    else if (waitedMs > MOST_WAIT_MS) this.#bytes = Math.max(this.#bytes * NARROWER, WINDOW_LEAST);
    this.#toDraw = had;
  }
}
