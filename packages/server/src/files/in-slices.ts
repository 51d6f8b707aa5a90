/** Runs long work of the server in short parts, so that nobody else waits for it (A40: never over 20 ms). */
const SLICE_MS = 6;

export async function inSlices<T>(work: Generator<undefined, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}
