/**
 * A host with a random agent, for properties and simulations: every kind of change and command occurs, including late
 * changes to old entries and future kinds. Seeded, so that failures are reproducible. Used by tests of protocol,
 * journal and client.
 */
import type { Append, AppendField, Change, ChangeBody } from '../src/conversation/changes.ts';
import type { Command } from '../src/conversation/commands.ts';
import { decide, isRepeated } from '../src/conversation/decide.ts';
import { type Entry, isOpen, isRequest, type NewEntry } from '../src/conversation/entries.ts';
import { entriesFrom, entryAt } from '../src/conversation/entry-store.ts';
import { fieldText, fold, foldAppend } from '../src/conversation/fold.ts';
import { settleOpen, withWholeText } from '../src/conversation/settle.ts';
import { type Conversation, EMPTY, openEntries } from '../src/conversation/state.ts';
import { stableText } from '../src/ids.ts';

export type Step =
  | { readonly type: 'changes'; readonly changes: readonly Change[] }
  | { readonly type: 'live'; readonly appends: readonly Append[] };

export interface Random {
  /** In [0, 1). */
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  uuid(): string;
  word(): string;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  const words = ['alpha', 'βeta', '🙂', 'line\nline', '"quoted"', '\ud83d', '', 'long '.repeat(5)];
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      return list[below(list.length)] as T;
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    word: () => `${words[below(words.length)]}${below(100)} `,
  };
}

export interface RandomHost {
  /** The full state so far, with the whole history. */
  readonly state: Conversation;
  /** Every durable change so far, by version: `changes[v - 1]`. */
  readonly changes: readonly Change[];
  step(): Step;
  /** Handles a command like a host; `undefined` if refused or repeated. */
  command(command: Command): Step | undefined;
}

const FIELDS: readonly AppendField[] = ['text', 'inputText', 'output'];

export function createRandomHost(seed: number): RandomHost {
  const random = createRandom(seed);
  const changes: Change[] = [];
  let state = EMPTY;
  let count = 0;
  let clock = 1_000;

  function emit(bodies: readonly ChangeBody[], cause?: string): Step {
    const made: Change[] = [];
    for (const body of bodies) {
      clock += random.below(50);
      const change = {
        ...withWholeText(state, body),
        v: state.v + 1,
        at: clock,
        ...(cause === undefined ? {} : { cause }),
      } as Change;
      state = fold(state, change);
      made.push(change);
    }
    changes.push(...made);
    return { type: 'changes', changes: made };
  }

  function command(asked: Command): Step | undefined {
    if (isRepeated(state, asked)) return undefined;
    const decision = decide(state, asked);
    return decision.changes ? emit(decision.changes, asked.id) : undefined;
  }

  function live(entry: Entry): Step {
    const fields = entry.kind === 'tool' ? FIELDS.slice(1) : FIELDS.slice(0, 1);
    const appends: Append[] = [];
    for (let left = 1 + random.below(3); left > 0; left--) {
      const field = random.pick(fields);
      const current = openEntries(state).find(({ id }) => id === entry.id) ?? entry;
      const append: Append = {
        entry: entry.id,
        field,
        at: fieldText(current, field).length,
        text: random.word(),
      };
      state = foldAppend(state, append);
      appends.push(append);
    }
    return { type: 'live', appends };
  }

  function step(): Step {
    const streaming = openEntries(state).filter(({ kind }) => ['text', 'thinking', 'tool'].includes(kind));
    if (streaming.length > 0 && random.chance(0.45)) return live(random.pick(streaming));
    if (random.chance(0.2)) {
      const done = command(randomCommand(random, state));
      if (done) return done;
    }
    count += 1;
    return emit(randomBodies(random, state, `e${seed}-${count}`));
  }

  return {
    get state() {
      return state;
    },
    changes,
    step,
    command,
  };
}

/** The steps of a whole random conversation, and its final state. */
export function randomConversation(seed: number, length: number): { steps: Step[]; final: Conversation } {
  const host = createRandomHost(seed);
  const steps = Array.from({ length }, () => host.step());
  return { steps, final: host.state };
}

export function randomCommand(random: Random, state: Conversation): Command {
  const id = random.uuid();
  const queued = state.queue.length > 0 ? random.pick(state.queue).id : 'none';
  const prompts = [...entriesFrom(state.entries)].filter(({ kind }) => kind === 'user');
  const doubted = prompts.find((entry) => entry.kind === 'user' && entry.delivery === 'doubted');
  const request = openEntries(state).find(isRequest);
  const make: (() => Command)[] = [
    () => ({ kind: 'prompt.send', id, text: `ask ${random.word()}` }),
    () => ({ kind: 'prompt.edit', id, prompt: queued, text: `edit ${random.word()}` }),
    () => ({ kind: 'prompt.move', id, prompt: queued, to: random.below(4) }),
    () => ({ kind: 'prompt.withdraw', id, prompt: queued }),
    () => ({ kind: 'prompt.resend', id, prompt: doubted?.id ?? 'none' }),
    () => ({ kind: 'prompt.drop', id, prompt: doubted?.id ?? 'none' }),
    () => ({ kind: 'turn.cancel', id }),
    () => ({
      kind: 'request.answer',
      id,
      entry: request?.id ?? 'none',
      shown: request?.request.shown ?? '',
      answer: { type: 'permission', behavior: 'allow' },
    }),
    () => ({ kind: 'session.configure', id, option: 'mode', value: random.pick(['plan', 'code']) }),
    () => ({ kind: 'agent.restart', id }),
    () => ({ kind: 'agent.stop', id }),
  ];
  return random.pick(make)();
}

function randomBodies(random: Random, state: Conversation, id: string): ChangeBody[] {
  const all = [...entriesFrom(state.entries)];
  const old = all.length > 0 ? random.pick(all) : undefined;
  const open = openEntries(state);
  const prompt = open.find(({ kind }) => kind === 'user');
  const request = open.find(isRequest);
  const closing = open.filter((entry) => entry.kind !== 'user' && !isRequest(entry));
  const choices: (() => ChangeBody[])[] = [
    () => [{ kind: 'entry.opened', entry: newEntry(random, id, old) }],
    () => [{ kind: 'entry.opened', entry: newEntry(random, id, old) }],
    () => [{ kind: 'session.described', facts: { model: random.word(), agentTitle: random.word() } }],
    () => [
      {
        kind: 'agent.changed',
        agent: { state: random.pick(['connected', 'failed']), reason: random.word() },
      },
    ],
    () => [{ kind: 'usage.updated', usage: usage(random) }],
    () => [{ kind: 'todos.replaced', todos: [{ id, text: random.word(), state: 'active' }] }],
    () => [{ kind: 'drift.counted', what: random.pick(['x', 'y', 'constructor']) }],
    () => [{ kind: 'config.refused', option: 'mode', why: random.word() }],
    () => [{ kind: 'future.kind', something: random.word() } as unknown as ChangeBody],
  ];
  if (state.turn) {
    const { id: turn } = state.turn;
    choices.push(
      () => [{ kind: 'turn.changed', phase: random.pick(['running', 'retrying']), note: random.word() }],
      () => [
        ...settleOpen(state, random.pick(['cancel', 'crash'])),
        { kind: 'turn.ended', turn, endedBy: random.pick(['completed', 'cancelled', 'error']) },
      ],
    );
    if (old?.kind === 'user') choices.push(() => [{ kind: 'turn.joined', turn, prompt: old.id }]);
  } else {
    const prompts = prompt ? [prompt.id] : [];
    choices.push(() => [
      { kind: 'turn.started', turn: `t-${id}`, origin: prompt ? 'user' : 'agent', prompts },
    ]);
  }
  if (prompt) {
    const delivery = random.pick(['sending', 'delivered', 'doubted', 'failed'] as const);
    choices.push(() => [{ kind: 'prompt.progressed', prompt: prompt.id, delivery, why: random.word() }]);
  }
  const [queued] = state.queue;
  if (queued && !prompt) {
    const { at: _at, ...rest } = queued;
    choices.push(() => [{ kind: 'prompt.accepted', prompt: rest }]);
  }
  if (request) {
    choices.push(() => [{ kind: 'request.settled', entry: request.id, status: 'withdrawn' }]);
  }
  if (closing.length > 0) {
    const entry = random.pick(closing).id;
    const status = random.pick(['complete', 'cancelled', 'failed'] as const);
    const close = () => [{ kind: 'entry.closed', entry, status, patch: { why: random.word() } } as const];
    choices.push(close, close, close);
  }
  if (old && !isOpen(old)) {
    const patched = { kind: 'entry.patched', entry: old.id, patch: { title: random.word() } } as const;
    choices.push(
      () => [patched],
      () => [{ kind: 'entry.restated', entry: old }, patched],
    );
  }
  return random.pick(choices)();
}

function newEntry(random: Random, id: string, parent: Entry | undefined): NewEntry {
  const text = random.word();
  const nested = parent?.kind === 'tool' && random.chance(0.3) ? { parent: parent.id } : {};
  const base = { id, ...nested };
  const make: (() => NewEntry)[] = [
    () => ({ ...base, kind: 'text', status: 'partial', text: '' }),
    () => ({ ...base, kind: 'thinking', status: 'partial', text: '' }),
    () => ({
      ...base,
      kind: 'tool',
      status: 'partial',
      name: 'Run',
      title: text,
      toolKind: 'shell',
      state: 'running',
    }),
    () => ({ ...base, kind: 'notice', status: 'complete', text, notice: 'info', level: 'info' }),
    () => ({ ...base, kind: 'command', status: 'complete', text, name: '/help' }),
    () => ({
      ...base,
      kind: 'permission',
      status: 'partial',
      request: {
        status: 'pending',
        shown: `shown-${id}`,
        tool: 'Run',
        toolKind: 'shell',
        title: text,
        fields: [],
        options: [{ id: 'once', label: 'Once', effect: 'allow-once' }],
        canEdit: false,
        canComment: true,
      },
    }),
  ];
  return random.pick(make)();
}

function usage(random: Random) {
  const n = random.below(1000);
  return { inputTokens: n, outputTokens: n, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: n / 100 };
}

/** Everything two states must agree on, as text: all except window, receipts and entries never loaded. */
export function sharedText(state: Conversation): string {
  const { entries: _entries, from: _from, receipts: _receipts, holes: _holes, ...rest } = state;
  const { ahead: _ahead, staleBefore: _staleBefore, ...shared } = rest;
  return stableText(shared);
}

/** Entries of `state` that differ from the truth, including open ones, so compare after live text has arrived. */
export function differences(state: Conversation, truth: Conversation): string[] {
  const found: string[] = [];
  for (const entry of entriesFrom(state.entries)) {
    const right = entryAt(truth.entries, entry.seq);
    if (stableText(entry) !== stableText(right)) found.push(`${stableText(entry)} ≠ ${stableText(right)}`);
  }
  for (const right of entriesFrom(truth.entries, state.from)) {
    if (!entryAt(state.entries, right.seq)) found.push(`missing ${right.seq}`);
  }
  return found;
}
