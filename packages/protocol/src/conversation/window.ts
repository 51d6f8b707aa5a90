/**
 * Serialized windows of a conversation: snapshots for the wire and for journal segments, pages of older entries,
 * trimming (M3). The only module that knows how state is serialized.
 */
import { z } from 'zod';
import { type Entry, entrySchema, isOpen, MAX_ENTRIES } from './entries.ts';
import {
  CHUNK,
  dropBefore,
  dropChunksBefore,
  type EntryStore,
  entriesFrom,
  entryAt,
  NO_ENTRIES,
  withEntry,
} from './entry-store.ts';
import { asideSchema, memorySchema, restoreRecordSchema } from './restore.ts';
import {
  agentStatusSchema,
  queuedPromptSchema,
  sessionInfoSchema,
  todoSchema,
  turnSchema,
  usageSchema,
} from './session-info.ts';
import type { Conversation, Wanted } from './state.ts';

/** Entries in a page, and in a snapshot's tail. */
export const PAGE = 100;
/** Entries that fill a screen even if each is one line. */
const SCREENFUL = 16;

export const snapshotSchema = z.object({
  v: z.number().int().nonnegative(),
  edition: z.string().max(100).optional(),
  nextSeq: z.number().int().nonnegative().max(MAX_ENTRIES),
  from: z.number().int().nonnegative().max(MAX_ENTRIES),
  facts: sessionInfoSchema,
  agent: agentStatusSchema,
  turn: z
    .object({
      id: z.string(),
      phase: z.enum(['running', 'compacting', 'retrying']),
      note: z.string().optional(),
      until: z.number().optional(),
      quietSince: z.number().optional(),
      cancelling: z.boolean(),
    })
    .nullable(),
  turns: z.array(turnSchema),
  entries: z.array(entrySchema),
  queue: z.array(queuedPromptSchema),
  wanted: z.record(z.string(), z.string()),
  usage: usageSchema,
  todos: z.array(todoSchema),
  unrecognized: z.object({
    count: z.number(),
    kinds: z.record(z.string(), z.number()),
    samples: z.record(z.string(), z.string()).optional(),
  }),
  /** Absent in journals and from hosts that are older. */
  restores: z.array(restoreRecordSchema).optional(),
  asides: z.array(asideSchema).optional(),
  memory: memorySchema.nullable().optional(),
  receipts: z.array(z.string()),
  changedAt: z.number(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export interface SnapshotOptions {
  /** Number of last entries to include; open entries are always included. */
  readonly tail: number;
  /** Receipts belong in the journal, not on the wire. */
  readonly receipts: boolean;
}

export function takeSnapshot(state: Conversation, { tail, receipts }: SnapshotOptions): Snapshot {
  const from = Math.max(state.from, state.nextSeq - tail);
  const open = new Set(Object.values(state.open));
  const entries: Entry[] = [];
  for (const seq of [...open].sort((a, b) => a - b)) {
    if (seq >= from) break;
    const entry = entryAt(state.entries, seq);
    if (entry) entries.push(entry);
  }
  entries.push(...entriesFrom(state.entries, from));
  return {
    v: state.v,
    ...(state.edition === undefined ? {} : { edition: state.edition }),
    nextSeq: state.nextSeq,
    from,
    facts: state.facts,
    agent: state.agent,
    turn: state.turn,
    turns: [...state.turns],
    entries,
    queue: [...state.queue],
    wanted: definedOnly(state.wanted),
    usage: state.usage,
    todos: [...state.todos],
    unrecognized: {
      ...state.unrecognized,
      kinds: { ...state.unrecognized.kinds },
      ...(state.unrecognized.samples ? { samples: { ...state.unrecognized.samples } } : {}),
    },
    ...(state.restores.length > 0 ? { restores: [...state.restores] } : {}),
    ...(state.asides.length > 0 ? { asides: [...state.asides] } : {}),
    ...(state.memory ? { memory: state.memory } : {}),
    receipts: receipts ? [...state.receipts] : [],
    changedAt: state.changedAt,
  };
}

export function fromSnapshot(snapshot: Snapshot): Conversation {
  const { entries, restores = [], asides = [], memory = null, ...rest } = snapshot;
  let store: EntryStore = NO_ENTRIES;
  for (const entry of entries) store = withEntry(store, entry);
  const open = Object.fromEntries(entries.filter(isOpen).map(({ id, seq }) => [id, seq]));
  const restored = { restores, asides, memory };
  return { ...rest, ...restored, entries: store, open, holes: [], ahead: [], staleBefore: rest.v };
}

/** Drops entries below the last `keep`, by whole chunks; open entries stay. */
export function trim(state: Conversation, keep: number): Conversation {
  const from = Math.floor(Math.max(state.from, state.nextSeq - keep) / CHUNK) * CHUNK;
  if (from <= state.from) return state;
  return { ...state, from, entries: dropChunksBefore(state.entries, from, Object.values(state.open)) };
}

/**
 * Drops the oldest entries of a window with more than `maxChars` characters, down to `keep` and a screenful. Open
 * entries and everything after them stay. Dropped entries can be loaded again as pages.
 */
export function dropOldest(
  state: Conversation,
  { maxChars, keep }: { maxChars: number; keep: number },
): Conversation {
  let from = state.nextSeq;
  let start = from;
  let held = 0;
  while (from > state.from && held <= maxChars) {
    from -= 1;
    held += JSON.stringify(entryAt(state.entries, from) ?? '').length;
    if (held <= keep || state.nextSeq - from <= SCREENFUL) start = from;
  }
  start = Math.min(start, ...Object.values(state.open));
  if (held <= maxChars || start <= state.from) return state;
  return { ...state, from: start, entries: dropBefore(state.entries, start) };
}

/** A page of older entries, as read at version `v`. */
export const pageSchema = z.object({
  v: z.number().int().nonnegative(),
  /** The page contains every entry of [from, to). */
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  entries: z.array(entrySchema),
});
export type Page = z.infer<typeof pageSchema>;

/**
 * Adds a page; of two copies of an entry, the higher `rev` wins. A stale page returns the same state, and must be
 * requested again. For a page newer than our version, the changes it already contains are skipped when they arrive.
 */
export function withPage(state: Conversation, page: Page): Conversation {
  if (page.v < state.staleBefore) return state;
  let entries = state.entries;
  let open = state.open;
  for (const entry of page.entries) {
    if (entry.seq >= state.nextSeq) continue;
    const known = entryAt(entries, entry.seq);
    if (known && known.rev >= entry.rev) continue;
    entries = withEntry(entries, entry);
    if (isOpen(entry)) open = { ...open, [entry.id]: entry.seq };
    else if (known && isOpen(known)) {
      const { [entry.id]: _closed, ...rest } = open;
      open = rest;
    }
  }
  const from = page.from < state.from && page.to >= state.from ? page.from : state.from;
  const { v, to } = page;
  const ahead = v > state.v ? [...state.ahead, { from: page.from, to, v }] : state.ahead;
  const holes = state.holes.filter((hole) => Object.hasOwn(open, hole.entry));
  return { ...state, entries, from, open, ahead, holes };
}

function definedOnly(wanted: Wanted): Record<string, string> {
  const stated: Record<string, string> = {};
  for (const [option, value] of Object.entries(wanted)) if (value !== undefined) stated[option] = value;
  return stated;
}
