/** Splits long work into short slices, so that requests wait for one slice at most. */
const SLICE_MS = 12;

export class TimeSlices {
  #since = performance.now();

  /** Awaited between steps; yields when the slice is used up. */
  async step(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
