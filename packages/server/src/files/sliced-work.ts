/**
 * Runs long work of the server in short parts, so that nobody else waits for it (A40: never over 20 ms). Of all such works
 * one part is done between two looks at what came in meanwhile, or several would add up.
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
