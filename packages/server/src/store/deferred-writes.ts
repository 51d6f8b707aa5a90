/**
 * What the server notes of its own accord, in order. Nobody asked, so nobody could be told that the disk took nothing: it
 * is kept and written once there is room again. What a page asks for does not belong here; it is refused at once.
 */
import type { Log } from '@tugdeck/local/log';
import { isDiskFault } from '@tugdeck/protocol/wire/errors';

const RETRY_MS = 1_000;
/** More is given up, the oldest first: hosts tell the newest state of a session again whenever a server starts. */
const MAX_PENDING = 10_000;

export class DeferredWrites {
  readonly #log: Pick<Log, 'warn'>;
  readonly #retryMs: number;
  #pending: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Log, 'warn'>, retryMs = RETRY_MS) {
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /** Now, or behind what already waits. */
  run(write: () => void): void {
    this.#pending.push(write);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
    if (this.#timer === undefined) this.#flush();
  }

  /** The last chance; what still cannot be written is gone. */
  close(): void {
    clearTimeout(this.#timer);
    this.#flush();
    clearTimeout(this.#timer);
    this.#pending = [];
  }

  #flush(): void {
    this.#timer = undefined;
    for (;;) {
      const [write] = this.#pending;
      if (!write) return;
      try {
        write();
      } catch (error) {
        if (!isDiskFault(error)) {
          this.#pending.shift();
          throw error;
        }
        this.#log.warn('cannot be written now', { error, waiting: this.#pending.length });
        this.#timer = setTimeout(() => this.#flush(), this.#retryMs);
        this.#timer.unref();
        return;
      }
      this.#pending.shift();
    }
  }
}
