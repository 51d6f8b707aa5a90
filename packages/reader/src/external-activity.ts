/**
 * Whether another program is using a session right now (A40): either it holds the session (some agents leave a note),
 * or its file was written recently and the last turn is not complete. Rechecks active sessions until they are idle.
 */
import type { Environment, HistorySource } from '@tugdeck/drivers/kit/history';
import type { SessionFile } from './session-files.ts';

export interface ExternalActivityOptions {
  readonly sources: readonly HistorySource[];
  readonly environment: Environment;
  readonly changed: (file: SessionFile) => void;
  /** Whether the last turn in the file is complete. */
  readonly isTurnComplete: (file: SessionFile) => boolean;
}

const RECENT_MS = 5_000;
const CHECK_MS = 1_000;

export class ExternalActivity {
  readonly #options: ExternalActivityOptions;
  readonly #active = new Set<SessionFile>();
  readonly #timer: NodeJS.Timeout;
  #held: ReadonlySet<string> = new Set();
  #checkedAt = 0;

  constructor(options: ExternalActivityOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#recheck(), CHECK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  isActive(file: SessionFile): boolean {
    if (this.#readHeld().has(file.session)) return true;
    return Date.now() - file.mtime < RECENT_MS && !this.#options.isTurnComplete(file);
  }

  /** Like `isActive`, but reads the agents' notes again. */
  isActiveNow(file: SessionFile): boolean {
    this.#checkedAt = 0;
    return this.isActive(file);
  }

  /** Rechecks an active session, so that its end is noticed. */
  watch(file: SessionFile): void {
    if (this.isActive(file)) this.#active.add(file);
  }

  #recheck(): void {
    for (const file of this.#active) {
      if (this.isActive(file)) continue;
      this.#active.delete(file);
      this.#options.changed(file);
    }
  }

  #readHeld(): ReadonlySet<string> {
    if (Date.now() - this.#checkedAt < CHECK_MS) return this.#held;
    const { sources, environment } = this.#options;
    const held = sources.flatMap((source) => [...(source.heldSessions?.(environment) ?? [])]);
    this.#held = new Set(held.filter(([, pid]) => isAlive(pid)).map(([session]) => session));
    this.#checkedAt = Date.now();
    return this.#held;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
