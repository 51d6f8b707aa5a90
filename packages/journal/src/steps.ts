/** Work in steps, such as folding a segment line by line: done at once, or in slices by whoever has others to answer too. */
import { setImmediate } from 'node:timers/promises';

export type Steps<T> = Generator<undefined, T, undefined>;

const SLICE_MS = 4;

export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

export async function inSlices<T>(steps: Steps<T>, sliceMs = SLICE_MS): Promise<T> {
  let until = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + sliceMs;
  }
}
