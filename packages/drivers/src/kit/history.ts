/**
 * The port for an agent's own session files (A40): where they lie, what a list and a search want of them, and how a
 * part of one becomes our conversation, without starting anything. A source knows lines and folders; reading bytes,
 * watching and paging is the reader's affair.
 */
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { Output } from './port.ts';

export type Environment = Readonly<Record<string, string>>;

/** What a list shows of a session. */
export interface ListInfo {
  readonly directory?: string | undefined;
  /** The user's or the agent's; without one the first prompt stands for it. */
  readonly title?: string | undefined;
  readonly prompt?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly activeAt?: number | undefined;
  /** A helper's own session, shown inside another: not listed. */
  readonly hidden?: boolean | undefined;
}

/** Something said, for the search index: the entry it will be drawn as, and its words. */
export interface IndexedText {
  readonly entry: string;
  readonly kind: 'prompt' | 'answer' | 'tool';
  readonly at: number | undefined;
  readonly text: string;
}

/** Reads a file from its beginning, line by line; `memory` is what it needs to go on later. Plain JSON. */
export interface LineScan {
  take(line: string): readonly IndexedText[];
  readonly facts: ListInfo;
  readonly memory: unknown;
}

export interface PlacedLine {
  readonly text: string;
  /** Its byte offset in the file. */
  readonly at: number;
}

export interface PartOptions {
  /** For what lies beside it. */
  readonly file: string;
  /** The lines begin with the file's first. */
  readonly isWhole: boolean;
  /** Where the thread ends, as the part after it said by `before`. */
  readonly until?: string | undefined;
  /** The number of its first entry. */
  readonly seq: number;
  readonly facts: SessionInfo;
  /** Takes long texts out before they are folded. */
  readonly spill: (body: ChangeBody) => ChangeBody;
}

/** A stretch of a session file that folds alone. */
export interface HistoryPart {
  readonly conversation: Conversation;
  /** Byte offset of its first line: what is before it belongs to the part before. */
  readonly start: number;
  /** How the part before is joined on; undefined when nothing is before. */
  readonly before: string | undefined;
  /** The agent rests after the last line, as far as the file tells. */
  readonly isIdle: boolean;
  /** A further line: what changed by it, or undefined where it does not go on from here and all is to be read anew. */
  take(line: string): readonly Change[] | undefined;
  /** Nothing more is expected for now: what is open ends. */
  settle(): readonly Change[];
}

export interface SessionPlace {
  readonly environment: Environment;
  /** The project, where the file most likely is. */
  readonly directory: string;
}

/** What the last lines of a session file say of its last turn. */
export interface LastTurn {
  /** The turn is complete: a program that adds nothing more may be gone already. */
  readonly isComplete: boolean;
  /** The line of its prompt, where that was written by a program other than ours. */
  readonly external?: string | undefined;
}

export interface HistorySource {
  /** The agent that can go on with them, as the catalogue names it. */
  readonly agent: string;
  readonly roots: (environment: Environment) => readonly string[];
  /** The session whose file this is; nothing for other files. `path` is below one of the roots. */
  readonly sessionOf: (path: string) => string | undefined;
  /** The file of a session, wherever its project lies; undefined where there is none. */
  readonly find: (place: SessionPlace, session: string) => string | undefined;
  readonly scan: (memory?: unknown) => LineScan;
  /** Undefined where the lines hold no place to begin at: give more of them. */
  readonly part: (lines: readonly PlacedLine[], options: PartOptions) => HistoryPart | undefined;
  /** Titles that the agent keeps beside its session files, by session. */
  readonly titles?: (environment: Environment) => ReadonlyMap<string, string>;
  /** Undefined where the lines hold no end of a turn. */
  readonly lastTurn: (lines: readonly string[]) => LastTurn | undefined;
  /** Sessions that running programs say they are in, with their process. */
  readonly heldSessions?: (environment: Environment) => ReadonlyMap<string, number>;
}

/** Folds what a source tells, and keeps what is new since it was last asked. */
export class PartFold {
  state: Conversation;
  readonly #spill: (body: ChangeBody) => ChangeBody;
  #fresh: Change[] = [];
  at = 0;

  constructor({ seq, facts, spill }: Pick<PartOptions, 'seq' | 'facts' | 'spill'>) {
    this.state = { ...EMPTY, nextSeq: seq, from: seq, facts };
    this.#spill = spill;
  }

  put(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.kind === 'live') this.state = foldAppend(this.state, output);
      else this.change(output);
    }
  }

  change(body: ChangeBody): void {
    const change = { ...this.#spill(body), v: this.state.v + 1, at: this.at } as Change;
    this.#fresh.push(change);
    this.state = fold(this.state, change);
  }

  fresh(): Change[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}

/** The time of a line as the formats write it. */
export function timeOf(text: unknown): number | undefined {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}
