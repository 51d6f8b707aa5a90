/** Work in steps, such as folding a segment line by line: done at once, or in slices by whoever has others to answer too. */
import { setImmediate } from 'node:timers/promises';

export type Steps<T> = Generator<undefined, T, undefined>;

const SLICE_MS = 4;

export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** However many read at once, only one of them has a slice before others are answered. */
export async function inSlices<T>(steps: Steps<T>, sliceMs = SLICE_MS): Promise<T> {
  for (;;) {
    await nextTurn();
    const until = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
  }
}

let turn: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  turn = turn.then(() => setImmediate());
  return turn;
}
