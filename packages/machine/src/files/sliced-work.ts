/**
 * Runs long work in short slices so that the event loop is never blocked for more than 20 ms (A40). All sliced work
 * shares one queue, otherwise several slices would add up between two rounds of the event loop.
 */
const SLICE_MS = 6;

export async function runSliced<T>(work: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await waitForTurn();
    signal?.throwIfAborted();
  }
}

const waiting: (() => void)[] = [];

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(startNext);
}
