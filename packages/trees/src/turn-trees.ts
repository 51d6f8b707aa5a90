/**
 * Records the project at the start and end of a session's turns. The prompt waits for the start, up to a limit (T3);
 * everything else happens in the background, and a failure becomes a line in `trees.jsonl`, never an error of the turn
 * (W4). One per session host.
 */
import { appendFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { Log } from '@tugdeck/local/log';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import { findRepository } from './find-repository.ts';
import { keepOwnObjects } from './own-objects.ts';
import { readHead } from './read-head.ts';
import { recordTree, type TreeLimits } from './record-tree.ts';
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
  #kept: Promise<unknown> = Promise.resolve();
  /** Recorded when a prompt was accepted, before the agent received it. */
  #before: Before | undefined;
  #rest = 0;
  #why = '';

  constructor(options: TurnTreesOptions) {
    this.#options = options;
  }

  /** Call when a prompt is about to be sent to the agent. */
  accepted(): void {
    if (this.#before) return;
    const before: Before = { recorded: this.#record(), isReady: false, isLate: false };
    this.#before = before;
    void before.recorded.then(() => {
      before.isReady = true;
    });
  }

  /** Undefined if the start is recorded already, or nothing is being recorded. */
  ready(): Promise<unknown> | undefined {
    return this.#before && !this.#before.isReady ? this.#before.recorded : undefined;
  }

  /** The prompt was sent although the start is not recorded yet. */
  late(): void {
    if (this.#before && !this.#before.isReady) this.#before.isLate = true;
  }

  started(turn: string): void {
    const before = this.#before;
    this.#before = undefined;
    // Without an announced prompt the agent started by itself.
    const late = before ? before.isLate : true;
    this.#note({ turn, bound: 'start', ...(late ? { late } : {}) }, before?.recorded ?? this.#record());
  }

  joined(turn: string, prompt: string): void {
    this.#note({ turn, bound: 'joined', prompt, late: true }, this.#record());
  }

  ended(turn: string): void {
    this.#before = undefined;
    this.#note({ turn, bound: 'end' }, this.#record());
  }

  /** Resolves when everything so far is written. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Runs `work` between two recordings, with the shadow repository. */
  async between<T>(work: (shadow: Shadow) => Promise<T>): Promise<T> {
    const run = this.#last.then(async () => {
      this.#shadow ??= openShadow(this.#options);
      return work(await this.#shadow);
    });
    this.#last = run.catch(() => undefined);
    return run;
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
      const head = shadow.source && readHead(shadow.source);
      const { leftOut, ...recorded } = await recordTree({ shadow, writer: session, limits });
      // A later recording waits for it, the prompt does not.
      this.#keep(shadow, recorded.tree);
      return {
        at,
        place: shadow.place,
        ...recorded,
        ...(leftOut.length > 0 ? { leftOut } : {}),
        ...(recorded.left > leftOut.length ? { leftMany: true } : {}),
        ...(head ? { head } : {}),
      };
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

  #keep(shadow: Shadow, tree: string): void {
    const { session, log } = this.#options;
    const kept = this.#kept
      .then(() => keepTree(shadow, session, tree))
      .catch((error: unknown) => log.warn('could not keep the tree of a turn', { error }));
    this.#kept = kept;
    this.#last = this.#last.then(() => kept);
  }

  #note(bound: Pick<TurnBound, 'turn' | 'bound' | 'prompt' | 'late'>, recorded: Promise<Outcome>): void {
    const { file, log } = this.#options;
    const before = this.#last;
    this.#last = recorded.then(async (outcome) => {
      await before;
      const line: TurnBound = { ...bound, ...outcome };
      try {
        appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
        if (bound.bound === 'end' && this.#shadow) {
          await keepOwnObjects(await this.#shadow);
          await tidy(await this.#shadow);
        }
      } catch (error) {
        log.warn('could not write the tree of a turn', { error });
      }
    });
  }
}

interface Before {
  readonly recorded: Promise<Outcome>;
  isReady: boolean;
  isLate: boolean;
}

type Outcome = Omit<TurnBound, 'turn' | 'bound' | 'prompt' | 'late'>;

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
