/**
 * Time as an interface, so that tests can control it. The only module of this package that uses timers and
 * animation frames.
 */
import type { Frame } from './store.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const pageClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A hidden page gets no animation frames, but its title and badges must still update (D7). */
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
