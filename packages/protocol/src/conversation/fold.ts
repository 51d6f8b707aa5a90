/**
 * The fold: state + change → state. Pure: no clock, no randomness, creates no ids. A change that was already applied
 * or that leaves a gap returns the same state; an unknown kind only advances `v`. Runs in the host, in the page and
 * over journals.
 */
import type { Append, Change, ChangeKind } from './changes.ts';
import {
  type Delivery,
  type Entry,
  type EntryPatch,
  type EntryStatus,
  isOpen,
  isRequest,
  type NewEntry,
} from './entries.ts';
import { hasField } from './entry-fields.ts';
import { entryAt, withEntry } from './entry-store.ts';
import { foldRestore, memoryAfter } from './restore-state.ts';
import type { Turn } from './session-info.ts';
import {
  type Conversation,
  entryById,
  type Hole,
  KINDS_OF_DRIFT,
  openSeq,
  RECEIPTS,
  SAMPLES_OF_DRIFT,
  TURNS,
} from './state.ts';

type ChangeOf<K extends ChangeKind> = Extract<Change, { kind: K }>;

/** Whether to apply a change, ignore it as already applied, or request the missing ones first. */
export function classifyChange(state: Conversation, change: Change): 'next' | 'seen' | 'gap' {
  if (change.v <= state.v) return 'seen';
  return change.v === state.v + 1 ? 'next' : 'gap';
}

export function fold(state: Conversation, change: Change): Conversation {
  if (classifyChange(state, change) !== 'next') return state;
  const next = apply(state, change);
  return {
    ...next,
    v: change.v,
    changedAt: change.at,
    receipts: withReceipt(next.receipts, change.cause),
    ahead: next.ahead.length === 0 ? next.ahead : next.ahead.filter(({ v }) => v > change.v),
  };
}

export function foldAll(state: Conversation, changes: Iterable<Change>): Conversation {
  let folded = state;
  for (const change of changes) folded = fold(folded, change);
  return folded;
}

/**
 * Applies a live append. Only the part beyond the current length is used, so overlap and repetition are harmless; a
 * gap is recorded as a hole. Changes neither `v` nor `rev`.
 */
export function foldAppend(state: Conversation, append: Append): Conversation {
  const seq = openSeq(state, append.entry);
  const entry = seq === undefined ? undefined : entryAt(state.entries, seq);
  if (!entry || !hasField(entry.kind, append.field)) return state;
  const current = fieldText(entry, append.field);
  if (append.at > current.length) return withHole(state, append);
  const fresh = append.text.slice(current.length - append.at);
  if (fresh === '') return state;
  return {
    ...withoutHoles(state, append, current.length + fresh.length),
    entries: withEntry(state.entries, { ...entry, [append.field]: current + fresh } as Entry),
  };
}

export function fieldText(entry: Entry, field: Append['field']): string {
  const value = (entry as { [key in Append['field']]?: string | undefined })[field];
  return value ?? '';
}

function apply(state: Conversation, change: Change): Conversation {
  switch (change.kind) {
    case 'session.described': {
      const wanted: Record<string, string | undefined> = { ...state.wanted };
      if (change.facts.mode !== undefined) delete wanted.mode;
      if (change.facts.model !== undefined) delete wanted.model;
      for (const { id } of change.facts.options ?? []) delete wanted[id];
      const memory = memoryAfter(state, change.facts.agentSession);
      return { ...state, facts: { ...state.facts, ...withoutUndefined(change.facts) }, wanted, memory };
    }
    case 'agent.changed':
      return { ...state, agent: change.agent };
    case 'prompt.accepted': {
      const { id, text, attachments, steer } = change.prompt;
      const queue = state.queue.filter((queued) => queued.id !== id);
      const entry: NewEntry = {
        kind: 'user',
        id,
        text,
        status: 'partial',
        delivery: 'accepted',
        ...(attachments ? { attachments } : {}),
        ...(steer ? { steered: true } : {}),
      };
      return open({ ...state, queue }, entry, change.at);
    }
    case 'prompt.queued':
      return { ...state, queue: [...state.queue, { ...change.prompt, at: change.at }] };
    case 'prompt.edited':
      return {
        ...state,
        queue: state.queue.map((queued) =>
          queued.id === change.prompt ? { ...queued, text: change.text } : queued,
        ),
      };
    case 'prompt.moved': {
      const moved = state.queue.find((queued) => queued.id === change.prompt);
      if (!moved) return state;
      const queue = state.queue.filter((queued) => queued !== moved);
      queue.splice(change.to, 0, moved);
      return { ...state, queue };
    }
    case 'prompt.withdrawn':
      return { ...state, queue: state.queue.filter((queued) => queued.id !== change.prompt) };
    case 'prompt.progressed':
      return setDelivery(state, change);
    case 'turn.started': {
      const turn: Turn = {
        id: change.turn,
        origin: change.origin,
        prompts: change.prompts,
        startedAt: change.at,
        firstSeq: state.nextSeq,
      };
      const started: Conversation = {
        ...state,
        turn: { id: change.turn, phase: 'running', cancelling: false },
        turns: [...state.turns, turn].slice(-TURNS),
      };
      const isFork = state.memory?.kind === 'fork';
      const memory = isFork ? memoryAfter(started, state.facts.agentSession) : state.memory;
      return change.prompts.reduce((into, prompt) => joinTurn(into, change.turn, prompt), {
        ...started,
        memory,
      });
    }
    case 'turn.joined': {
      const turns = state.turns.map((turn) =>
        turn.id === change.turn && !turn.prompts.includes(change.prompt)
          ? { ...turn, prompts: [...turn.prompts, change.prompt] }
          : turn,
      );
      return joinTurn({ ...state, turns }, change.turn, change.prompt);
    }
    case 'turn.changed':
      if (!state.turn) return state;
      return {
        ...state,
        turn: {
          id: state.turn.id,
          cancelling: state.turn.cancelling,
          phase: change.phase,
          note: change.note,
          until: change.waitMs === undefined ? change.until : change.at + change.waitMs,
        },
      };
    case 'turn.quiet': {
      if (!state.turn) return state;
      const { quietSince: _before, ...turn } = state.turn;
      return { ...state, turn: change.since === undefined ? turn : { ...turn, quietSince: change.since } };
    }
    case 'turn.cancelling':
      return state.turn ? { ...state, turn: { ...state.turn, cancelling: true } } : state;
    case 'turn.ended':
      return {
        ...state,
        turn: state.turn?.id === change.turn ? null : state.turn,
        turns: state.turns.map((turn) =>
          turn.id === change.turn
            ? {
                ...turn,
                endedAt: change.at,
                endedBy: change.endedBy,
                why: change.why,
                ...(change.denied ? { denied: change.denied } : {}),
              }
            : turn,
        ),
      };
    case 'entry.opened':
      return open(state, change.entry, change.at);
    case 'entry.patched':
      return patchEntry(state, change.entry, change.at, change.patch);
    case 'entry.closed':
      return patchEntry(state, change.entry, change.at, change.patch ?? {}, change.status);
    case 'entry.restated':
      return put(state, change.entry);
    case 'request.settled': {
      const entry = entryById(state, change.entry);
      if (!entry) return markStale(state);
      if (!isRequest(entry)) return state;
      const request = {
        ...entry.request,
        status: change.status,
        answeredAt: change.at,
        ...(change.answer === undefined ? {} : { answer: change.answer }),
        ...(change.by === undefined ? {} : { answeredBy: change.by }),
      };
      return put(state, {
        ...entry,
        request,
        status: STATUS_OF_REQUEST[change.status],
        rev: entry.rev + 1,
        endedAt: change.at,
      } as Entry);
    }
    case 'config.requested':
      return { ...state, wanted: { ...state.wanted, [change.option]: change.value } };
    case 'config.refused': {
      const wanted: Record<string, string | undefined> = { ...state.wanted };
      delete wanted[change.option];
      return { ...state, wanted };
    }
    case 'agent.requested':
      return state;
    case 'usage.updated':
      return { ...state, usage: change.usage, turns: withCost(state, change.usage.lastTurn?.costUsd) };
    case 'todos.replaced':
      return { ...state, todos: change.todos };
    case 'drift.counted':
      return { ...state, unrecognized: countDrift(state.unrecognized, change.what, change.sample) };
    case 'workspace.changed':
      return { ...state, facts: { ...state.facts, directory: change.directory } };
    case 'restore.began':
    case 'restore.ended':
    case 'entries.aside':
    case 'entries.returned':
    case 'memory.changed':
      return foldRestore(state, change);
    default: {
      // Compiles only if every known kind is handled; at run time a newer host may send others.
      change satisfies never;
      return state;
    }
  }
}

const STATUS_OF_DELIVERY: Readonly<Record<Delivery, EntryStatus>> = {
  accepted: 'partial',
  sending: 'partial',
  delivered: 'complete',
  doubted: 'stale',
  dropped: 'cancelled',
  failed: 'failed',
};

const STATUS_OF_REQUEST = { answered: 'complete', withdrawn: 'cancelled', stale: 'stale' } as const;

function open(state: Conversation, entry: NewEntry, at: number): Conversation {
  // A second open with the same id is a driver bug. Only open entries are checked: every window holds all of them, so
  // every window decides the same.
  if (openSeq(state, entry.id) !== undefined) return state;
  const turn = entry.turn ?? (entry.kind === 'user' ? undefined : state.turn?.id);
  const stamp = { seq: state.nextSeq, rev: 0, at };
  // Assigned to a small object first: adding fields to a copy of the entry is fifty times slower.
  const opened = Object.assign({ seq: 0 }, entry, stamp) as Entry;
  if (turn !== undefined) opened.turn = turn;
  if (!isOpen(opened)) opened.endedAt = at;
  return put({ ...state, nextSeq: state.nextSeq + 1 }, opened);
}

/** The cost of a turn is reported at its end, with the usage; later reports repeat it. */
function withCost({ turns, usage }: Conversation, costUsd: number | undefined): readonly Turn[] {
  const last = turns.at(-1);
  if (!last || costUsd === undefined || costUsd === usage.lastTurn?.costUsd) return turns;
  return [...turns.slice(0, -1), { ...last, costUsd }];
}

function joinTurn(state: Conversation, turn: string, prompt: string): Conversation {
  const entry = entryById(state, prompt);
  return entry ? put(state, { ...entry, turn, rev: entry.rev + 1 }) : markStale(state);
}

function setDelivery(state: Conversation, change: ChangeOf<'prompt.progressed'>): Conversation {
  const entry = entryById(state, change.prompt);
  if (!entry) return markStale(state);
  if (entry.kind !== 'user') return state;
  // A reason from an earlier failure does not apply.
  const { why: _before, ...rest } = entry;
  const why = change.why === undefined ? {} : { why: change.why };
  const progressed = { ...rest, ...why, delivery: change.delivery, rev: entry.rev + 1 };
  return put(state, withStatus(progressed, STATUS_OF_DELIVERY[change.delivery], change.at));
}

function patchEntry(
  state: Conversation,
  id: string,
  at: number,
  patch: EntryPatch,
  status?: EntryStatus,
): Conversation {
  const entry = entryById(state, id);
  if (!entry) return markStale(state);
  const fitting = Object.entries(withoutUndefined(patch)).filter(([field]) => hasField(entry.kind, field));
  const touched = { ...entry, ...Object.fromEntries(fitting), rev: entry.rev + 1 } as Entry;
  return put(state, status === undefined ? touched : withStatus(touched, status, at));
}

function withStatus(entry: Entry, status: EntryStatus, at: number): Entry {
  const { endedAt: _before, ...rest } = entry;
  return (status === 'partial' ? { ...rest, status } : { ...rest, status, endedAt: at }) as Entry;
}

/** Stores an entry and updates the record of open entries and holes. */
function put(state: Conversation, changed: Entry): Conversation {
  const entry = isAhead(state, changed.seq) ? (entryAt(state.entries, changed.seq) ?? changed) : changed;
  const entries = withEntry(state.entries, entry);
  const known = openSeq(state, entry.id) !== undefined;
  if (isOpen(entry)) {
    return {
      ...state,
      entries,
      open: known ? state.open : { ...state.open, [entry.id]: entry.seq },
      holes: state.holes.length === 0 ? state.holes : state.holes.filter((hole) => isHole(entry, hole)),
    };
  }
  if (!known) return { ...state, entries };
  const { [entry.id]: _closed, ...open } = state.open;
  return { ...state, entries, open, holes: state.holes.filter((hole) => hole.entry !== entry.id) };
}

function isAhead({ ahead, v }: Conversation, seq: number): boolean {
  return ahead.length > 0 && ahead.some((page) => page.v > v && page.from <= seq && seq < page.to);
}

/** A change for an entry that is not loaded: pages read before this version are stale. */
function markStale(state: Conversation): Conversation {
  return { ...state, staleBefore: state.v + 1 };
}

/** Without `undefined` fields: JSON does not carry them, so they must not erase anything here. */
function withoutUndefined<T extends object>(patch: T): Partial<T> {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Partial<T>;
}

type Unrecognized = Conversation['unrecognized'];

function countDrift(
  { count, kinds, samples = {} }: Unrecognized,
  what: string,
  sample: string | undefined,
): Unrecognized {
  const isListed = Object.hasOwn(kinds, what) || Object.keys(kinds).length < KINDS_OF_DRIFT;
  const name = isListed ? what : 'other';
  const before = Object.hasOwn(kinds, name) ? (kinds[name] ?? 0) : 0;
  const isKept = Object.hasOwn(samples, name) || Object.keys(samples).length < SAMPLES_OF_DRIFT;
  const kept = sample !== undefined && isKept ? { ...samples, [name]: sample } : samples;
  return {
    count: count + 1,
    kinds: { ...kinds, [name]: before + 1 },
    ...(Object.keys(kept).length > 0 ? { samples: kept } : {}),
  };
}

function withReceipt(receipts: readonly string[], cause: string | undefined): readonly string[] {
  if (cause === undefined || receipts.at(-1) === cause || receipts.includes(cause)) return receipts;
  return [...receipts, cause].slice(-RECEIPTS);
}

function withHole(state: Conversation, { entry, field, at, text }: Append): Conversation {
  const until = at + text.length;
  const known = state.holes.find((hole) => hole.entry === entry && hole.field === field);
  if (known && known.until >= until) return state;
  return { ...state, holes: [...state.holes.filter((hole) => hole !== known), { entry, field, until }] };
}

/** A partly filled gap stays a hole until the text reaches the end of what was seen. */
function withoutHoles(state: Conversation, { entry, field }: Append, length: number): Conversation {
  if (state.holes.length === 0) return state;
  return {
    ...state,
    holes: state.holes.filter((hole) => hole.entry !== entry || hole.field !== field || hole.until > length),
  };
}

function isHole(entry: Entry, hole: Hole): boolean {
  return hole.entry !== entry.id || fieldText(entry, hole.field).length < hole.until;
}
