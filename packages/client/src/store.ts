/**
 * Observable values; listeners are notified at most once per animation frame. Everything the page renders comes
 * from these.
 */
export interface Readable<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

export interface Cell<T> extends Readable<T> {
  set(value: T): void;
}

/** Calls `run` once, soon; in a page in the next animation frame. */
export type Frame = (run: () => void) => void;

export class Listeners {
  readonly #listeners = new Set<() => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: () => void): () => void {
    // Wrapped, so that a function added twice is called twice and removed separately.
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

/** Runs each scheduled task once in the next frame, however often it was scheduled. */
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
        // An error in one view must not keep the others from updating (D10); it still reaches the page's log.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** `get` returns the newest value at once; listeners run in the next frame. */
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
