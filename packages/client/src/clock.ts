/**
 * Time as a port, so that tests turn it by hand. The only module of this package that calls the page's
 * timers and animation frames.
 */
import type { Frame } from './store.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms`; the returned function calls it off. */
  after(ms: number, run: () => void): () => void;
}

export const pageClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A hidden page gets no animation frames, but its title and badges must still move (D7). */
const HIDDEN_FRAME_MS = 200;

export const pageFrame: Frame = (run) => {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    run();
  };
  const timer = setTimeout(once, HIDDEN_FRAME_MS);
  const frame = requestAnimationFrame(once);
};
