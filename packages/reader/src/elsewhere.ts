/**
 * Whether another program works in a session right now (A40): it says so itself where its agent leaves a note, and a
 * file that was written a moment ago is being written, unless its last turn is complete. Looks again while it is so,
 * until it is not.
 */
import type { Environment, HistorySource } from '@tugdeck/drivers/kit/history';
import type { SessionFile } from './session-files.ts';

export interface ElsewhereOptions {
  readonly sources: readonly HistorySource[];
  readonly environment: Environment;
  readonly changed: (file: SessionFile) => void;
  /** The last turn in the file is complete. */
  readonly rests: (file: SessionFile) => boolean;
}

const WRITTEN_MS = 5_000;
const LOOK_MS = 1_000;

export class Elsewhere {
  readonly #options: ElsewhereOptions;
  readonly #busy = new Set<SessionFile>();
  readonly #timer: NodeJS.Timeout;
  #held: ReadonlySet<string> = new Set();
  #lookedAt = 0;

  constructor(options: ElsewhereOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  is(file: SessionFile): boolean {
    if (this.#heldNow().has(file.session)) return true;
    return Date.now() - file.mtime < WRITTEN_MS && !this.#options.rests(file);
  }

  /** The same, by the notes as they are this very moment. */
  isNow(file: SessionFile): boolean {
    this.#lookedAt = 0;
    return this.is(file);
  }

  /** Remembers one that is busy, so that its end is noticed. */
  look(file: SessionFile): void {
    if (this.is(file)) this.#busy.add(file);
  }

  #lookAgain(): void {
    for (const file of this.#busy) {
      if (this.is(file)) continue;
      this.#busy.delete(file);
      this.#options.changed(file);
    }
  }

  #heldNow(): ReadonlySet<string> {
    if (Date.now() - this.#lookedAt < LOOK_MS) return this.#held;
    const { sources, environment } = this.#options;
    const held = sources.flatMap((source) => [...(source.held?.(environment) ?? [])]);
    this.#held = new Set(held.filter(([, pid]) => isAlive(pid)).map(([session]) => session));
    this.#lookedAt = Date.now();
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
