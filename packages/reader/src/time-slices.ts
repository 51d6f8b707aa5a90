/** Long work in short slices: who asks something meanwhile waits for one slice, not for the work. */
const SLICE_MS = 12;

export class TimeSlices {
  #since = performance.now();

  /** To be awaited between two steps; gives way when the slice is used up. */
  async step(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
