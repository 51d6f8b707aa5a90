/**
 * Closes services in reverse order of their creation. Each is registered where it is created, so that no second list
 * has to be kept.
 */
export class Closing {
  readonly #steps: (() => unknown)[] = [];

  add<T extends { close(): unknown }>(service: T): T {
    this.#steps.push(() => service.close());
    return service;
  }

  addStep(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Each step runs once, after the one before it has finished. */
  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step();
  }
}
