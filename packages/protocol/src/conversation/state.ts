/** The state of a conversation: a window on it (M3). Plain frozen data, created only by the fold. */
import type { Append } from './changes.ts';
import type { Entry, RequestEntry } from './entries.ts';
import { isRequest } from './entries.ts';
import { type EntryStore, entryAt, findEntry, NO_ENTRIES } from './entry-store.ts';
import type { Aside, Memory, RestoreRecord } from './restore.ts';
import {
  type AgentStatus,
  NO_USAGE,
  type QueuedPrompt,
  type SessionInfo,
  type Todo,
  type Turn,
  type TurnState,
  type Usage,
} from './session-info.ts';

export const RECEIPTS = 1000;
export const TURNS = 256;
/** Kinds of unrecognized messages counted by name; the rest are counted together. */
export const KINDS_OF_DRIFT = 100;
/** Number of kinds for which a sample of the last message is kept. */
export const SAMPLES_OF_DRIFT = 20;

export interface RunningTurn {
  readonly id: string;
  readonly phase: 'running' | 'compacting' | 'retrying';
  readonly note?: string | undefined;
  readonly until?: number | undefined;
  /** The agent has been silent since then (H7). */
  readonly quietSince?: number | undefined;
  readonly cancelling: boolean;
}

export type Wanted = Readonly<{ mode?: string; model?: string; [option: string]: string | undefined }>;

/** Missing live text: text up to `until` was sent, but something before it is missing. */
export interface Hole extends Pick<Append, 'entry' | 'field'> {
  readonly until: number;
}

/** Entries from a page read at a later version than ours: they already contain the changes up to `v`. */
export interface Ahead {
  readonly from: number;
  readonly to: number;
  readonly v: number;
}

export interface Conversation {
  readonly v: number;
  /** Which numbering of entries this is, if not the journal's (A40). Another edition replaces everything. */
  readonly edition?: string | undefined;
  readonly nextSeq: number;
  /** Every entry from here on is loaded; below it only some may be. */
  readonly from: number;
  readonly facts: SessionInfo;
  readonly agent: AgentStatus;
  readonly turn: RunningTurn | null;
  /** The last turns, oldest first. */
  readonly turns: readonly Turn[];
  readonly entries: EntryStore;
  /** Open entries: id to seq. Small; the hot path only looks here. */
  readonly open: Readonly<Record<string, number>>;
  readonly queue: readonly QueuedPrompt[];
  /** Requested settings that are not confirmed yet, by name. */
  readonly wanted: Wanted;
  readonly usage: Usage;
  readonly todos: readonly Todo[];
  readonly unrecognized: Readonly<{
    count: number;
    kinds: Readonly<Record<string, number>>;
    /** The beginning of the last message of each kind. */
    samples?: Readonly<Record<string, string>> | undefined;
  }>;
  /** The last restores, oldest first. */
  readonly restores: readonly RestoreRecord[];
  /** Entries that a restore set aside; they are still in the journal. */
  readonly asides: readonly Aside[];
  /** Where the agent's next start continues; null: where it was. */
  readonly memory: Memory | null;
  /** Ids of the last commands that took effect, oldest first. */
  readonly receipts: readonly string[];
  readonly holes: readonly Hole[];
  readonly ahead: readonly Ahead[];
  /** Version of the last change to an entry that was not loaded: an older page would lack it. */
  readonly staleBefore: number;
  /** Time of the last change, for lists. */
  readonly changedAt: number;
}

export const EMPTY: Conversation = {
  v: 0,
  nextSeq: 0,
  from: 0,
  facts: {},
  agent: { state: 'idle' },
  turn: null,
  turns: [],
  entries: NO_ENTRIES,
  open: {},
  queue: [],
  wanted: {},
  usage: NO_USAGE,
  todos: [],
  unrecognized: { count: 0, kinds: {} },
  restores: [],
  asides: [],
  memory: null,
  receipts: [],
  holes: [],
  ahead: [],
  staleBefore: 0,
  changedAt: 0,
};

/** The `seq` of an open entry. Ids come from agents, so "constructor" must not match. */
export function openSeq(state: Conversation, id: string): number | undefined {
  return Object.hasOwn(state.open, id) ? state.open[id] : undefined;
}

export function entryById(state: Conversation, id: string): Entry | undefined {
  const seq = openSeq(state, id);
  return seq === undefined ? findEntry(state.entries, id) : entryAt(state.entries, seq);
}

/** Hides empty text that the agent abandoned (M13) and commands that a view sent for itself. */
export function isShown(entry: Entry): boolean {
  if (entry.kind === 'command' && entry.hidden) return false;
  if (entry.kind !== 'text' && entry.kind !== 'thinking') return true;
  return entry.status !== 'cancelled' || entry.text !== '' || entry.more !== undefined;
}

export function openEntries(state: Conversation): Entry[] {
  return Object.values(state.open)
    .sort((a, b) => a - b)
    .map((seq) => entryAt(state.entries, seq))
    .filter((entry) => entry !== undefined);
}

export function pendingRequests(state: Conversation): RequestEntry[] {
  return openEntries(state).filter((entry): entry is RequestEntry => isRequest(entry));
}

export function turnState(state: Conversation): TurnState {
  if (!state.turn) return 'idle';
  for (const seq of Object.values(state.open)) {
    const entry = entryAt(state.entries, seq);
    if (entry && isRequest(entry)) return 'waiting';
  }
  return state.turn.phase;
}

/** The prompt that is being delivered. While there is one, further prompts are queued (A25). */
export function promptUnderway(state: Conversation): Entry | undefined {
  return openEntries(state).find((entry) => entry.kind === 'user');
}
