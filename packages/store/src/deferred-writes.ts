/**
 * Retry queue for writes that no page requested, in order. If the disk is full they are kept and retried, because
 * nobody is waiting for an error. Writes that a page requests do not belong here; they fail at once.
 */
import type { Log } from '@tugdeck/local/log';
import { isDiskFault } from '@tugdeck/protocol/wire/errors';

const RETRY_MS = 1_000;
/** Above this, the oldest are dropped: hosts send their latest state again when a server starts. */
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

  /** Runs the write now, or after the pending ones. */
  run(write: () => void): void {
    this.#pending.push(write);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
    if (this.#timer === undefined) this.#flush();
  }

  /** Last attempt; writes that still fail are lost. */
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
        this.#log.warn('disk not writable, will retry', { error, waiting: this.#pending.length });
        this.#timer = setTimeout(() => this.#flush(), this.#retryMs);
        this.#timer.unref();
        return;
      }
      this.#pending.shift();
    }
  }
}
