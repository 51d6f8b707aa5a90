/**
 * Runs generators that yield between small units of work, such as folding a segment line by line or indexing files: either to the end
 * at once, or in time slices that leave the event loop free for other clients.
 */
import { setImmediate } from 'node:timers/promises';

/** A computation that yields wherever it may be interrupted. */
export type Cooperative<T> = Generator<undefined, T, undefined>;

const SLICE_MS = 4;

export function runToEnd<T>(work: Cooperative<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Runs `work` in slices. Of all concurrent callers, only one gets a slice per event loop turn. */
export async function runInSlices<T>(
  work: Cooperative<T>,
  {
    sliceMs = SLICE_MS,
    signal,
  }: { readonly sliceMs?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<T> {
  for (;;) {
    await nextTurn();
    signal?.throwIfAborted();
    const until = performance.now() + sliceMs;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
  }
}

let turn: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  turn = turn.then(() => setImmediate());
  return turn;
}
