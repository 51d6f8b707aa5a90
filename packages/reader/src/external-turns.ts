/**
 * The last turn of session files (A40, A42): whether it is complete, and whether another program made it in a session
 * that we adopted. Reads the end of a file, once per size.
 */

import { readRange, withFile } from '@tugdeck/drivers/kit/file-lines';
import type { HistorySource, LastTurn } from '@tugdeck/drivers/kit/history';
import type { SessionFile } from './session-files.ts';

const TAIL = 64 * 1024;
/** Maximum distance from the end at which a turn's prompt is searched. */
const MAX_READ = 4 * 1024 * 1024;

/** The agent's own file of a session. */
export type AgentFile = Pick<SessionFile, 'path' | 'session' | 'agent' | 'size'>;

interface CachedTurn {
  readonly size: number;
  readonly turn: LastTurn | undefined;
}

export class ExternalTurns {
  readonly #sourceOf: (agent: string) => HistorySource | undefined;
  /** Agent sessions that our sessions have adopted; their journals are complete. */
  readonly #owned = new Map<string, string>();
  readonly #read = new Map<string, CachedTurn>();
  /** Prompt of the last external turn that was reported, by agent session. */
  readonly #reported = new Map<string, string>();

  constructor(sourceOf: (agent: string) => HistorySource | undefined) {
    this.#sourceOf = sourceOf;
  }

  isOwned(session: string): boolean {
    return this.#owned.has(session);
  }

  /** One of our sessions adopted this one: its journal has everything in the file so far. */
  adopted(session: string, by: string, file: AgentFile | undefined): void {
    if (this.#owned.has(session)) return;
    this.#owned.set(session, by);
    const external = file && this.#lastTurn(file)?.external;
    if (external !== undefined) this.#reported.set(session, external);
  }

  isComplete(file: AgentFile): boolean {
    return this.#lastTurn(file)?.isComplete === true;
  }

  /** Our session that lacks a turn which another program has just completed. */
  newExternalTurn(file: AgentFile): string | undefined {
    const { session } = file;
    const own = this.#owned.get(session);
    if (own === undefined) return undefined;
    const { isComplete = false, external } = this.#lastTurn(file) ?? {};
    if (!isComplete || external === undefined || this.#reported.get(session) === external) return undefined;
    this.#reported.set(session, external);
    return own;
  }

  #lastTurn(file: AgentFile): LastTurn | undefined {
    const { path, size, agent } = file;
    const source = this.#sourceOf(agent);
    if (!source) return undefined;
    const known = this.#read.get(path);
    if (known?.size === size) return known.turn;
    const turn = readTurn(source, path, size);
    this.#read.set(path, { size, turn });
    return turn;
  }
}

function readTurn(source: HistorySource, path: string, size: number): LastTurn | undefined {
  try {
    return withFile(path, (descriptor) => {
      for (let length = TAIL; ; length *= 8) {
        const from = Math.max(0, size - length);
        const turn = source.lastTurn(readRange(descriptor, from, size).map(({ text }) => text));
        if (turn || from === 0 || length >= MAX_READ) return turn;
      }
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
