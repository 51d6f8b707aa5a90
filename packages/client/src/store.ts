/**
 * Values that can be read and watched, told at most once per animation frame. Owns no data of its own and
 * knows nothing of conversations. Everything the page draws from is one of these.
 */
export interface Readable<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

export interface Cell<T> extends Readable<T> {
  set(value: T): void;
}

/** Calls `run` soon, once; in a page that is the next animation frame. */
export type Frame = (run: () => void) => void;

export class Listeners {
  readonly #listeners = new Set<() => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: () => void): () => void {
    // Wrapped, so that the same function given twice is told twice and removed one by one.
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Gathers tasks and runs each once in the next frame, however often it was asked for. */
export class FrameQueue {
  readonly #tasks = new Set<() => void>();
  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  schedule(task: () => void): void {
    this.#tasks.add(task);
    if (this.#tasks.size === 1) this.#frame(() => this.#run());
  }

  #run(): void {
    const tasks = [...this.#tasks];
    this.#tasks.clear();
    for (const task of tasks) {
      try {
        task();
      } catch (error) {
        // One view's fault must not keep the others from being told (D10); it still reaches the page's log.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** The newest value is readable at once; listeners hear of it in the next frame. */
export function createCell<T>(initial: T, queue: FrameQueue): Cell<T> {
  let value = initial;
  const listeners = new Listeners();
  const notify = () => listeners.notify();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      queue.schedule(notify);
    },
    subscribe: (listener) => listeners.add(listener),
  };
}
