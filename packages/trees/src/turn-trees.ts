/**
 * Records the project at the start and end of a session's turns, in the background: the turn does not wait, and a
 * failure becomes a line in `trees.jsonl`, never an error of the turn (W4). One per session host.
 */
import { appendFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { Log } from '@tugdeck/local/log';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { findRepository } from './find-repository.ts';
import { type RecordedTree, recordTree, type TreeLimits } from './record-tree.ts';
import { Shadow } from './shadow.ts';
import { keepTree, tidy } from './tree-refs.ts';
import type { TurnBound } from './turn-bounds.ts';

export interface TurnTreesOptions {
  readonly home: string;
  readonly project: string;
  readonly session: string;
  /** `trees.jsonl` of the session. */
  readonly file: string;
  readonly now: () => number;
  readonly log: Log;
  readonly limits?: TreeLimits | undefined;
}

/** Number of turn boundaries to skip after a project turned out to be too large. */
const REST = 20;
const MAX_CONFIG = 1024 * 1024;

export class TurnTrees {
  readonly #options: TurnTreesOptions;
  #shadow: Promise<Shadow> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Recorded when a prompt was accepted, before the agent received it. */
  #before: Promise<Outcome> | undefined;
  #rest = 0;
  #why = '';

  constructor(options: TurnTreesOptions) {
    this.#options = options;
  }

  /** Call when a prompt is about to be sent to the agent. */
  accepted(): void {
    this.#before ??= this.#record();
  }

  started(turn: string): void {
    const recorded = this.#before ?? this.#record();
    this.#before = undefined;
    this.#note(turn, 'start', recorded);
  }

  ended(turn: string): void {
    this.#before = undefined;
    this.#note(turn, 'end', this.#record());
  }

  /** Resolves when everything so far is written. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Recordings run one after the other, in order. */
  #record(): Promise<Outcome> {
    const recorded = this.#last.then(() => this.#recordNow());
    this.#last = recorded;
    return recorded;
  }

  async #recordNow(): Promise<Outcome> {
    const { session, limits, now, log } = this.#options;
    const at = now();
    if (this.#rest > 0) {
      this.#rest -= 1;
      return { at, skipped: this.#why };
    }
    try {
      this.#shadow ??= openShadow(this.#options);
      const shadow = await this.#shadow;
      const recorded = await recordTree({ shadow, writer: session, limits });
      await keepTree(shadow, session, recorded.tree);
      return { at, ...recorded };
    } catch (error) {
      const { code, message } = reportOf(error);
      log.warn('could not record the project', { error });
      this.#shadow = undefined;
      if (code === 'TOO_MANY' || code === 'GIT_TIMEOUT' || code === 'GIT_MISSING') {
        this.#rest = REST;
        this.#why = message;
      }
      return { at, skipped: message };
    }
  }

  #note(turn: string, bound: TurnBound['bound'], recorded: Promise<Outcome>): void {
    const { file, log } = this.#options;
    this.#last = recorded.then(async (outcome) => {
      const line: TurnBound = { turn, bound, ...outcome };
      try {
        appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
        if (bound === 'end' && this.#shadow) await tidy(await this.#shadow);
      } catch (error) {
        log.warn('could not write the tree of a turn', { error });
      }
    });
  }
}

type Outcome = { readonly at: number } & (
  | RecordedTree
  | { readonly skipped: string; readonly tree?: undefined }
);

export async function openShadow({ home, project }: { home: string; project: string }): Promise<Shadow> {
  const directory = await realpath(project);
  const found = await findRepository(directory);
  const source =
    found.kind === 'repository' && !(await hasOtherHashes(found.place)) ? found.place : undefined;
  return new Shadow({ home, project: directory, source });
}

/** Objects with another hash function cannot be shared. */
async function hasOtherHashes({ commonDirectory }: { commonDirectory: string }): Promise<boolean> {
  const text = readBoundedText(join(commonDirectory, 'config'), { maxBytes: MAX_CONFIG }) ?? '';
  return /objectformat\s*=\s*sha256/i.test(text);
}
