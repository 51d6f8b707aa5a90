/**
 * Interface to an agent's own session files (A40): where they are, list and search information, and conversion of a
 * part to a conversation, without starting the agent. The reader handles bytes, watching and paging.
 */
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { Output } from './port.ts';

export type Environment = Readonly<Record<string, string>>;

/** List information of a session. */
export interface ListInfo {
  readonly directory?: string | undefined;
  /** Given by the user or the agent; otherwise the first prompt is shown. */
  readonly title?: string | undefined;
  readonly prompt?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly activeAt?: number | undefined;
  /** A subagent's session, shown inside another: not listed. */
  readonly hidden?: boolean | undefined;
}

/** A text for the search index, with the id of its entry. */
export interface IndexedText {
  readonly entry: string;
  readonly kind: 'prompt' | 'answer' | 'tool';
  readonly at: number | undefined;
  readonly text: string;
}

/** Scans a file line by line from the beginning. `memory`: serializable state for continuing later. */
export interface LineScan {
  take(line: string): readonly IndexedText[];
  readonly facts: ListInfo;
  readonly memory: unknown;
}

export interface PlacedLine {
  readonly text: string;
  /** Byte offset in the file. */
  readonly at: number;
}

export interface PartOptions {
  /** To locate files beside it. */
  readonly file: string;
  /** The lines start at the file's beginning. */
  readonly isWhole: boolean;
  /** The thread's last line, from `before` of the following part. */
  readonly until?: string | undefined;
  /** Sequence number of its first entry. */
  readonly seq: number;
  readonly facts: SessionInfo;
  /** Moves long texts to blobs. */
  readonly spill: (body: ChangeBody) => ChangeBody;
  /**
   * Reads the end of a subagent's session file; undefined if it can't be read. Default: subagents with a separate
   * session file are not read.
   */
  readonly subagent?: ((session: string) => readonly PlacedLine[] | undefined) | undefined;
}

/** A self-contained part of a session file. */
export interface HistoryPart {
  readonly conversation: Conversation;
  /** Byte offset of its first line; earlier bytes belong to the previous part. */
  readonly start: number;
  /** `until` for the previous part; undefined if there is none. */
  readonly before: string | undefined;
  /** Whether the agent is idle after the last line. */
  readonly isIdle: boolean;
  /** Adds a line; returns its changes, or undefined if the thread does not continue here and must be read again. */
  take(line: string): readonly Change[] | undefined;
  /** Closes everything open, because nothing more is expected. */
  settle(): readonly Change[];
}

export interface SessionPlace {
  readonly environment: Environment;
  /** The project, where the file most likely is. */
  readonly directory: string;
}

/** The last turn according to the last lines of a session file. */
export interface LastTurn {
  /** Whether the turn is complete; then an idle program may already be gone. */
  readonly isComplete: boolean;
  /** The line of its prompt, if another program wrote it. */
  readonly external?: string | undefined;
}

export interface HistorySource {
  /** The agent that can resume them, as in the catalog. */
  readonly agent: string;
  readonly roots: (environment: Environment) => readonly string[];
  /** The session of a file below one of the roots; undefined for other files. */
  readonly sessionOf: (path: string) => string | undefined;
  /** The file of a session, wherever its project is; undefined if there is none. */
  readonly find: (place: SessionPlace, session: string) => string | undefined;
  readonly scan: (memory?: unknown) => LineScan;
  /** Undefined if the lines have no suitable start: more lines are needed. */
  readonly part: (lines: readonly PlacedLine[], options: PartOptions) => HistoryPart | undefined;
  /** Titles that the agent keeps outside its session files, by session. */
  readonly titles?: (environment: Environment) => ReadonlyMap<string, string>;
  /** Undefined if the lines do not contain a turn. */
  readonly lastTurn: (lines: readonly string[]) => LastTurn | undefined;
  /** Sessions that running processes hold, with their pid. */
  readonly heldSessions?: (environment: Environment) => ReadonlyMap<string, number>;
}

/** Folds a source's outputs and collects new changes. */
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

/** Parses a line's timestamp. */
export function timeOf(text: unknown): number | undefined {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}
