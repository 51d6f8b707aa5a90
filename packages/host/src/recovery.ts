/**
 * Settles what a crashed host or agent left open (M5, H6, H12): completes interrupted entries from the agent's own record,
 * adds entries that were never seen below a notice, and marks the rest stale. A prompt of unknown delivery is marked
 * doubted and never resent automatically. Pure.
 */
import type { DatedChange } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, EntryPatch, NewEntry, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { settleOpen } from '@tugdeck/protocol/conversation/settle';
import {
  type Conversation,
  entryById,
  openEntries,
  promptUnderway,
} from '@tugdeck/protocol/conversation/state';
import { matchTurn, type Pair, recordedTurn, turnEntries } from './turn-match.ts';

export interface Recovery {
  readonly changes: readonly DatedChange[];
  /** Work was in progress, so the agent should be restarted. */
  readonly interrupted: boolean;
}

export interface RecoveryOptions {
  /** Display name of the agent. */
  readonly label: string;
  /** Why the turn was interrupted, as a sentence. */
  readonly why: string;
  /** The last lines of its stderr. */
  readonly detail?: string | undefined;
  readonly now: number;
  /** The agent's own record of the session's end; undefined if it cannot be read. */
  readonly readRecord: () => Conversation | undefined;
  /** Whether we have this entry, in memory or in the journal. */
  readonly isKnown: (entry: string) => boolean;
}

export const HOST_DIED = 'The session host was killed or crashed.';
export const DISK_FULL = 'The disk was full, so the agent was stopped.';

export function recoveryChanges(state: Conversation, options: RecoveryOptions): Recovery {
  const underway = promptUnderway(state);
  const sending = underway?.kind === 'user' && underway.delivery === 'sending';
  const broken = state.turn !== null || sending || settleOpen(state, 'crash').length > 0;
  const changes: DatedChange[] = broken ? recover(state, options) : [];
  if (state.agent.state !== 'idle') {
    changes.push({ at: options.now, body: { kind: 'agent.changed', agent: { state: 'idle' } } });
  }
  return { changes, interrupted: broken || underway !== undefined || state.queue.length > 0 };
}

function recover(state: Conversation, options: RecoveryOptions): DatedChange[] {
  const { label, why, detail, now, readRecord, isKnown } = options;
  const record = readRecord();
  const theirs = record && recordedTurn(state, record);
  const ours = turnEntries(state);
  const pairs = theirs ? matchTurn(ours, theirs, isKnown) : [];
  const cut = pairs.flatMap((pair) => completed(state, pair));
  const closed = new Set(cut.flatMap((change) => (change.kind === 'entry.closed' ? [change.entry] : [])));
  const parents = new Map(pairs.flatMap(({ their, our }) => (our ? [[their.id, our] as const] : [])));
  const lastKnown = new Map(pairs.map(({ their, our }, at) => [our ? their.parent : undefined, at]));
  const missing = pairs.filter((pair, at) => {
    const isPassed = (lastKnown.get(pair.their.parent) ?? -1) > at;
    return isMissing(pair, isPassed, ours, parents);
  });
  const added = missing.filter(({ their }) => their.kind !== 'notice' || their.parent === undefined);
  const settled = settleOpen(state, 'crash', (id) => !closed.has(id)).map((change) =>
    withFullText(state, change),
  );
  const known = new Set(pairs.flatMap(({ our }) => (our ? [our.id] : [])));
  const dated = (body: ChangeBody): DatedChange => ({ at: now, body });
  return [
    ...cut.map(dated),
    ...settled.map(dated),
    ...(record ? missingFromRecord(ours, known, theirs !== undefined) : []).map(dated),
    ...deliveries(state, known, why).map(dated),
    dated(notice(state, `${why} ${outcome(label, record !== undefined, closed.size, added.length)}`, detail)),
    ...missing.map(
      ({ their }): DatedChange => ({
        at: their.at,
        body: { kind: 'entry.opened', entry: asNewEntry(their, parents) },
      }),
    ),
    ...todos(record, missing).map(dated),
    ...(state.turn ? [dated({ kind: 'turn.ended', turn: state.turn.id, endedBy: 'error', why })] : []),
  ];
}

/**
 * Changes that close an open entry as in the record. An entry that the record does not close either only gets its
 * missing input.
 */
function completed(state: Conversation, { their, our, text }: Pair): ChangeBody[] {
  const open = our && entryById(state, our.id);
  if (open?.status !== 'partial') return [];
  const { status } = their;
  if (text !== undefined && status !== 'partial' && status !== 'stale') {
    return [{ kind: 'entry.closed', entry: open.id, status, patch: { text } }];
  }
  if (open.kind !== 'tool' || their.kind !== 'tool') return [];
  const input = open.input === undefined ? inputOf(their) : {};
  if (status === 'partial' || status === 'stale') {
    return open.input === undefined ? [{ kind: 'entry.patched', entry: open.id, patch: input }] : [];
  }
  return [{ kind: 'entry.closed', entry: open.id, status, patch: { ...input, ...resultOf(their) } }];
}

function inputOf({ input, fields, title, toolKind }: ToolEntry): EntryPatch {
  return { title, toolKind, ...(input === undefined ? {} : { input }), ...(fields ? { fields } : {}) };
}

function resultOf({ state, output = '', result, diff, error, denied, durationMs }: ToolEntry): EntryPatch {
  const patch: EntryPatch = { state, inputText: '', output, result, diff, error, denied, durationMs };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

const NOTICES = new Set(['compaction', 'error', 'interrupted']);

const ENDED: ReadonlySet<ToolEntry['state']> = new Set(['done', 'failed', 'interrupted']);

/** `isPassed`: a later entry of the same parent is known. `parents`: our entries by the record's ids. */
function isMissing(
  { their, our }: Pair,
  isPassed: boolean,
  ours: readonly Entry[],
  parents: ReadonlyMap<string, Entry>,
): boolean {
  if (our || !isWorthAdding(their, ours)) return false;
  if (their.parent === undefined) return true;
  // A subagent's work is journaled in order: an entry before a known one is shown in another form. Commands and edits
  // always have an entry, and may begin at the same time.
  const isOwnEntry = their.kind === 'tool' && (their.toolKind === 'shell' || their.toolKind === 'edit');
  if (isPassed && !isOwnEntry) return false;
  const parent = parents.get(their.parent);
  return their.kind !== 'notice' || parent?.kind !== 'tool' || !ENDED.has(parent.state);
}

/** Whether an entry of the record should be added: not if we show it in another form already. */
function isWorthAdding(their: Entry, ours: readonly Entry[]): boolean {
  switch (their.kind) {
    case 'user':
      return false;
    case 'text':
    case 'thinking':
      return their.text.trim() !== '';
    case 'notice':
      return NOTICES.has(their.notice);
    case 'question':
    case 'plan':
      // A live request has a different id.
      return their.status !== 'partial' && !ours.some(({ kind }) => kind === their.kind);
    default:
      return true;
  }
}

function asNewEntry(
  { seq: _seq, rev: _rev, at: _at, endedAt: _endedAt, turn: _turn, ...rest }: Entry,
  parents: ReadonlyMap<string, Entry>,
): NewEntry {
  const { parent } = rest;
  const entry = parent === undefined ? rest : { ...rest, parent: parents.get(parent)?.id ?? parent };
  if (entry.status !== 'partial' && entry.status !== 'stale') return entry as NewEntry;
  const state = entry.kind === 'tool' ? { state: 'stale' } : {};
  return { ...entry, status: 'stale', ...state } as NewEntry;
}

/**
 * Marks messages and finished steps that are missing from the agent's record (A42): an agent that is killed may not have
 * saved its last ones. A step before a known entry is shown there in another form.
 */
function missingFromRecord(
  ours: readonly Entry[],
  known: ReadonlySet<string>,
  hasTurn: boolean,
): ChangeBody[] {
  const lastKnown = ours.findLastIndex(({ id, parent }) => parent === undefined && known.has(id));
  return ours.flatMap((entry, at): ChangeBody[] => {
    const isMessage = (entry.kind === 'text' && entry.text !== '') || entry.kind === 'user';
    const isStep = entry.kind === 'tool' && ENDED.has(entry.state) && at > lastKnown;
    if (!(isMessage || isStep) || entry.parent !== undefined || entry.forgotten || known.has(entry.id))
      return [];
    // A prompt that was being sent is marked doubted instead, which says more. The agent may have merged several
    // prompts of a turn into one message.
    if (entry.kind === 'user' && (hasTurn || entry.delivery !== 'delivered')) return [];
    return [{ kind: 'entry.patched', entry: entry.id, patch: { forgotten: true } }];
  });
}

function deliveries(state: Conversation, known: ReadonlySet<string>, why: string): ChangeBody[] {
  return openEntries(state).flatMap((entry): ChangeBody[] => {
    // An accepted prompt was never written; the next agent receives it (M5).
    if (entry.kind !== 'user' || entry.delivery !== 'sending') return [];
    return known.has(entry.id)
      ? [{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'delivered' }]
      : [{ kind: 'prompt.progressed', prompt: entry.id, delivery: 'doubted', why }];
  });
}

function todos(record: Conversation | undefined, missing: readonly Pair[]): ChangeBody[] {
  const isTouched = missing.some(({ their }) => their.kind === 'tool' && their.toolKind === 'todo');
  return record && isTouched ? [{ kind: 'todos.replaced', todos: [...record.todos] }] : [];
}

function outcome(label: string, isReadable: boolean, ended: number, missing: number): string {
  if (!isReadable) {
    return `Tugdeck can't read a session file of ${label}, so anything it did after that isn't known here.`;
  }
  const parts = [
    ...(ended > 0 ? [`${count(ended)} completed above`] : []),
    ...(missing > 0 ? [`${count(missing)} added below`] : []),
  ];
  return parts.length === 0
    ? `${label}'s session file has nothing more of this turn. A step that it had just begun may be missing.`
    : `Recovered from ${label}'s session file: ${parts.join(', ')}.`;
}

const count = (entries: number): string => (entries === 1 ? '1 entry' : `${entries} entries`);

function notice(state: Conversation, text: string, detail: string | undefined): ChangeBody {
  // Sequence numbers are never reused, so the id is unique in the session.
  const id = `exit-${state.nextSeq}`;
  const more = detail === undefined ? {} : { detail };
  return {
    kind: 'entry.opened',
    entry: { id, kind: 'notice', status: 'complete', notice: 'crash', level: 'error', text, ...more },
  };
}

/** Pages may show streamed text that never reached the disk, so the closing change states empty fields as well. */
function withFullText(state: Conversation, change: ChangeBody): ChangeBody {
  if (change.kind !== 'entry.closed' || entryById(state, change.entry)?.kind !== 'tool') return change;
  return { ...change, patch: { inputText: '', output: '', ...change.patch } };
}
