/**
 * The one pure fold: state + change → state (ARCHITECTURE §1). No clock, no randomness, no ids of its own.
 * A change that was seen already, or that leaves a gap, gives the same state back; an unknown kind only
 * advances `v`. Runs in the host for truth, in the page to draw, over a journal to read.
 */
import type { Append, Change } from './changes.ts';
import {
  type Delivery,
  type Entry,
  type EntryPatch,
  type EntryStatus,
  isOpen,
  isRequest,
  type NewEntry,
} from './entries.ts';
import { entryAt, withEntry } from './entry-store.ts';
import type { Turn } from './session-facts.ts';
import { type Conversation, entryById, RECEIPTS, TURNS } from './state.ts';

/** What a client does with a change: take it, pass over it, or ask again from its own `v`. */
export function standing(state: Conversation, change: Change): 'next' | 'seen' | 'gap' {
  if (change.v <= state.v) return 'seen';
  return change.v === state.v + 1 ? 'next' : 'gap';
}

export function fold(state: Conversation, change: Change): Conversation {
  if (standing(state, change) !== 'next') return state;
  const next = apply(state, change);
  return {
    ...next,
    v: change.v,
    changedAt: change.at,
    receipts: withReceipt(next.receipts, change.cause),
  };
}

export function foldAll(state: Conversation, changes: Iterable<Change>): Conversation {
  let folded = state;
  for (const change of changes) folded = fold(folded, change);
  return folded;
}

/**
 * A live append. Only what lies past the current length is taken, so overlap and replay are harmless; a
 * hole is remembered and asked for. Does not touch `v` nor `rev`.
 */
export function foldAppend(state: Conversation, append: Append): Conversation {
  const seq = state.open[append.entry];
  const entry = seq === undefined ? undefined : entryAt(state.entries, seq);
  if (!entry) return state;
  const current = fieldText(entry, append.field);
  if (append.at > current.length) return withHole(state, append);
  const fresh = append.text.slice(current.length - append.at);
  const filled = withoutHoles(state, append.entry, append.field);
  if (fresh === '') return filled;
  return {
    ...filled,
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
      const wanted = { ...state.wanted };
      if (change.facts.mode !== undefined) delete wanted.mode;
      if (change.facts.model !== undefined) delete wanted.model;
      return { ...state, facts: { ...state.facts, ...change.facts }, wanted };
    }
    case 'agent.changed':
      return { ...state, agent: change.agent };
    case 'prompt.accepted': {
      const { id, text, attachments } = change.prompt;
      const queue = state.queue.filter((queued) => queued.id !== id);
      const entry: NewEntry = { kind: 'user', id, text, status: 'partial', delivery: 'accepted' };
      return open({ ...state, queue }, attachments ? { ...entry, attachments } : entry, change.at);
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
    case 'prompt.progressed': {
      const patch: EntryPatch = { delivery: change.delivery };
      if (change.why !== undefined) patch.why = change.why;
      return touch(state, change.prompt, change.at, patch, STATUS_OF_DELIVERY[change.delivery]);
    }
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
      return change.prompts.reduce((into, prompt) => join(into, change.turn, prompt, change.at), started);
    }
    case 'turn.joined': {
      const turns = state.turns.map((turn) =>
        turn.id === change.turn && !turn.prompts.includes(change.prompt)
          ? { ...turn, prompts: [...turn.prompts, change.prompt] }
          : turn,
      );
      return join({ ...state, turns }, change.turn, change.prompt, change.at);
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
          until: change.until,
        },
      };
    case 'turn.cancelling':
      return state.turn ? { ...state, turn: { ...state.turn, cancelling: true } } : state;
    case 'turn.ended':
      return {
        ...state,
        turn: state.turn?.id === change.turn ? null : state.turn,
        turns: state.turns.map((turn) =>
          turn.id === change.turn
            ? { ...turn, endedAt: change.at, endedBy: change.endedBy, why: change.why }
            : turn,
        ),
      };
    case 'entry.opened':
      return open(state, change.entry, change.at);
    case 'entry.patched':
      return touch(state, change.entry, change.at, change.patch);
    case 'entry.closed':
      return touch(state, change.entry, change.at, change.patch ?? {}, change.status);
    case 'entry.restated':
      return put(state, change.entry);
    case 'request.settled': {
      const entry = entryById(state, change.entry);
      if (!entry || !isRequest(entry)) return state;
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
      const wanted = { ...state.wanted };
      delete wanted[change.option];
      return { ...state, wanted };
    }
    case 'agent.requested':
      return state;
    case 'usage.updated':
      return { ...state, usage: change.usage };
    case 'todos.replaced':
      return { ...state, todos: change.todos };
    case 'drift.counted': {
      const { count, kinds } = state.unrecognized;
      return {
        ...state,
        unrecognized: {
          count: count + 1,
          kinds: { ...kinds, [change.what]: (kinds[change.what] ?? 0) + 1 },
        },
      };
    }
    default: {
      // Compiles only while every known kind is handled; at run time a newer host may say more.
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
  // The same id opened twice is a driver's fault, not a second entry.
  if (entryById(state, entry.id)) return state;
  const turn = entry.turn ?? (entry.kind === 'user' ? undefined : state.turn?.id);
  const opened = {
    ...entry,
    seq: state.nextSeq,
    rev: 0,
    at,
    ...(turn === undefined ? {} : { turn }),
    ...(entry.status === 'partial' ? {} : { endedAt: at }),
  } as Entry;
  return put({ ...state, nextSeq: state.nextSeq + 1 }, opened);
}

function join(state: Conversation, turn: string, prompt: string, at: number): Conversation {
  const entry = entryById(state, prompt);
  return entry ? put(state, { ...entry, turn, rev: entry.rev + 1, at: entry.at || at }) : state;
}

function touch(
  state: Conversation,
  id: string,
  at: number,
  patch: EntryPatch,
  status?: EntryStatus,
): Conversation {
  const entry = entryById(state, id);
  if (!entry) return state;
  const touched = { ...entry, ...patch, rev: entry.rev + 1 } as Entry;
  if (status !== undefined) {
    touched.status = status;
    if (status === 'partial') delete touched.endedAt;
    else touched.endedAt = at;
  }
  return put(state, touched);
}

/** Puts an entry whole, keeping the record of open entries and holes true. */
function put(state: Conversation, entry: Entry): Conversation {
  const entries = withEntry(state.entries, entry);
  const known = state.open[entry.id] !== undefined;
  if (isOpen(entry)) {
    return known
      ? { ...state, entries }
      : { ...state, entries, open: { ...state.open, [entry.id]: entry.seq } };
  }
  if (!known) return { ...state, entries };
  const { [entry.id]: _closed, ...open } = state.open;
  return { ...state, entries, open, holes: state.holes.filter((hole) => hole.entry !== entry.id) };
}

function withReceipt(receipts: readonly string[], cause: string | undefined): readonly string[] {
  if (cause === undefined || receipts.at(-1) === cause || receipts.includes(cause)) return receipts;
  return [...receipts, cause].slice(-RECEIPTS);
}

function withHole(state: Conversation, { entry, field }: Append): Conversation {
  if (state.holes.some((hole) => hole.entry === entry && hole.field === field)) return state;
  return { ...state, holes: [...state.holes, { entry, field }] };
}

function withoutHoles(state: Conversation, entry: string, field: Append['field']): Conversation {
  if (state.holes.length === 0) return state;
  return {
    ...state,
    holes: state.holes.filter((hole) => hole.entry !== entry || hole.field !== field),
  };
}
