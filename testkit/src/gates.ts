// Named holds at which streams wait until a test releases them, instead of sleeping. A release is a permit that
// one arrival consumes, so it can come before or after the stream arrives. Owned by the fake model API.

export interface ReachedOptions {
  /** Resolves at this arrival, counted from 1 over the life of the fake. */
  readonly times?: number;
  readonly timeoutMs?: number;
}

interface Watcher {
  readonly name: string;
  readonly times: number;
  readonly resolve: () => void;
}

export class Gates {
  readonly #arrivals = new Map<string, number>();
  readonly #permits = new Map<string, number>();
  readonly #opened = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #watchers = new Set<Watcher>();

  /** A stream arrives at a hold; resolves when it may continue, or when its connection is closed. */
  pass(name: string, signal: AbortSignal): Promise<void> {
    const count = (this.#arrivals.get(name) ?? 0) + 1;
    this.#arrivals.set(name, count);
    for (const watcher of this.#watchers) {
      if (watcher.name !== name || watcher.times > count) continue;
      this.#watchers.delete(watcher);
      watcher.resolve();
    }
    if (this.#opened.has(name) || signal.aborted) return Promise.resolve();
    const permits = this.#permits.get(name) ?? 0;
    if (permits > 0) {
      this.#permits.set(name, permits - 1);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const queue = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, queue);
      const leave = (): void => {
        // A closed stream must not consume the permit of the next one.
        const position = queue.indexOf(go);
        if (position >= 0) queue.splice(position, 1);
        resolve();
      };
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      queue.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Lets exactly one arrival through, now or later. */
  release(name: string): void {
    const next = this.#waiting.get(name)?.shift();
    if (next) next();
    else this.#permits.set(name, (this.#permits.get(name) ?? 0) + 1);
  }

  /** Lets all arrivals through from now on. */
  open(name: string): void {
    this.#opened.add(name);
    for (const go of this.#waiting.get(name)?.splice(0) ?? []) go();
  }

  /** Resolves once a stream has arrived at the hold, even if it has already left. */
  reached(name: string, { times = 1, timeoutMs = 60_000 }: ReachedOptions = {}): Promise<void> {
    if ((this.#arrivals.get(name) ?? 0) >= times) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(watcher);
        const seen = this.#arrivals.get(name) ?? 0;
        reject(new Error(`no stream arrived at hold '${name}' in ${timeoutMs} ms (${seen} of ${times})`));
      }, timeoutMs);
      timer.unref();
      const watcher: Watcher = {
        name,
        times,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#watchers.add(watcher);
    });
  }
}
