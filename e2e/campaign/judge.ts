/**
 * The invariants after any faults, as pure rules over evidence, so that tests can make each fail. The evidence holds the
 * user's actions, the agent's input and the model's output; `evidence.ts` gathers it.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Entry, isRequest } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Turn } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, pendingRequests, turnState } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { answersTo, type Cast } from './prompts.ts';
import type { Answered, Sent } from './user.ts';

export interface Evidence {
  readonly cast: Cast;
  readonly sent: readonly Sent[];
  readonly answered: readonly Answered[];
  /** The journal from its first entry on. */
  readonly disk: Conversation;
  readonly entries: readonly Entry[];
  readonly views: readonly { readonly name: string; readonly conversation: Conversation }[];
  /** The entries of a newly opened page, from the first. */
  readonly fresh: readonly Entry[];
  readonly row: SessionRow | undefined;
  /** How often each prompt was on the agent's stdin, by name; absent without a witness. */
  readonly received?: ReadonlyMap<string, number>;
  /** How often each prompt is in the last model request, by name. */
  readonly asked?: ReadonlyMap<string, number>;
  /** How often the command of a prompt ran, by name. */
  readonly ran: ReadonlyMap<string, number>;
  /** Entries that a search for a prompt's name finds in this session, by name. */
  readonly indexed: ReadonlyMap<string, ReadonlySet<string>>;
}

type Rule = (evidence: Evidence) => Iterable<string>;

const SETTLED = new Set(['delivered', 'dropped']);

export const RULES = {
  /** Every accepted prompt is in the history once, with its outcome. */
  *promptOnce({ sent, entries }) {
    for (const { id, name } of sent) {
      const found = entries.filter((entry) => entry.id === id);
      if (found.length === 0) yield `prompt ${name} is lost`;
      if (found.length > 1) yield `prompt ${name} is there ${found.length} times`;
      for (const entry of found)
        if (entry.kind !== 'user' || !SETTLED.has(entry.delivery))
          yield `prompt ${name} is ${entry.kind === 'user' ? entry.delivery : entry.kind}`;
    }
  },

  /** No prompt that nobody sent, and none twice under another id. */
  *promptsOnly({ sent, entries }) {
    const known = new Set(sent.map(({ id }) => id));
    for (const entry of entries)
      if (entry.kind === 'user' && !known.has(entry.id)) yield `nobody sent ${JSON.stringify(entry.text)}`;
  },

  /** The agent received each accepted prompt exactly once, or the prompt is marked. */
  *receivedOnce({ sent, entries, received }) {
    if (!received) return;
    for (const { id, name } of sent) {
      const times = received.get(name) ?? 0;
      if (times > 1) yield `the agent received ${name} ${times} times`;
      const entry = entries.find((one) => one.id === id);
      if (times === 0 && entry?.kind === 'user' && entry.delivery === 'delivered')
        yield `${name} is marked as delivered, and the agent never received it`;
    }
  },

  /** The model received each prompt once, unless its turn is marked as broken. */
  *askedOnce({ sent, asked, disk, entries }) {
    if (!asked) return;
    for (const { id, name } of sent) {
      const times = asked.get(name) ?? 0;
      if (times > 1) yield `the model received ${name} ${times} times`;
      if (times === 0 && turnOf(disk, entries, id)?.endedBy === 'completed')
        yield `the turn of ${name} is complete, and the model never received it`;
    }
  },

  /** A turn that ended well has its answer once; an answer that is complete is the agent's to the byte. */
  *answersWhole({ cast, sent, entries, disk }) {
    for (const words of sent) {
      const id = turnId(entries, words.id);
      if (id === undefined) continue;
      const texts = entries.filter((entry) => entry.kind === 'text' && entry.turn === id);
      const right = answersTo(cast, words);
      const whole = texts.filter((entry) => entry.status === 'complete');
      for (const entry of texts) {
        if (entry.kind !== 'text') continue;
        const fits =
          entry.status === 'complete'
            ? right.includes(entry.text)
            : right.some((answer) => answer.startsWith(entry.text));
        if (!fits)
          yield `an answer (${entry.status}) to ${words.name} is not the agent's: ${JSON.stringify(entry.text.slice(0, 120))} …${JSON.stringify(entry.text.slice(-40))}`;
      }
      if (whole.length > 1) yield `${words.name} is answered ${whole.length} times`;
      if (whole.length === 0 && turnOf(disk, entries, words.id)?.endedBy === 'completed')
        yield `${words.name} has no answer`;
    }
  },

  /** Every answer belongs to a prompt. */
  *answersPlaced({ sent, entries }) {
    const turns = new Set(sent.map(({ id }) => turnId(entries, id)));
    for (const entry of entries)
      if (entry.kind === 'text' && (entry.turn === undefined || !turns.has(entry.turn)))
        yield `a text belongs to no prompt: ${JSON.stringify(entry.text.slice(0, 80))}`;
  },

  *nothingOpen({ entries, disk }) {
    for (const entry of entries)
      if (entry.status === 'partial') yield `${entry.kind} ${entry.id} is still open`;
    if (disk.turn !== null) yield 'a turn still runs';
    if (disk.queue.length > 0) yield `${disk.queue.length} prompts still wait`;
  },

  /** A request is answered once, by one page, or stale; and its entry shows that answer. */
  *requestsOnce({ entries, answered }) {
    for (const entry of entries) {
      if (!isRequest(entry)) continue;
      const { status, answeredBy, answer } = entry.request;
      const taken = answered.filter((one) => one.entry === entry.id && one.accepted);
      if (status === 'pending') yield `request ${entry.id} is still pending`;
      if (status === 'answered' && taken.length !== 1)
        yield `request ${entry.id} is answered, and ${taken.length} answers were taken`;
      if (status !== 'answered' && taken.length > 0)
        yield `request ${entry.id} is ${status}, and an answer was taken`;
      const [winner] = taken;
      if (status === 'answered' && winner && winner.by !== answeredBy)
        yield `request ${entry.id} shows ${answeredBy} instead of ${winner.by}`;
      const shown = (answer as { behavior?: unknown } | undefined)?.behavior;
      if (status === 'answered' && winner && winner.behavior !== shown)
        yield `request ${entry.id} shows ${String(shown)} instead of ${winner.behavior}`;
    }
    const shown = new Set(entries.filter(isRequest).map(({ id }) => id));
    for (const { entry } of answered)
      if (!shown.has(entry)) yield `request ${entry} was answered and is gone`;
  },

  /** An allowed command ran at most once, any other never. */
  *ranAsAllowed({ sent, answered, entries, ran }) {
    for (const { id, name } of sent) {
      const times = ran.get(name) ?? 0;
      if (times > 1) yield `the command of ${name} ran ${times} times`;
      const turn = turnId(entries, id);
      const requests = entries.filter((entry) => isRequest(entry) && entry.turn === turn);
      const isAllowed = requests.some(({ id: request }) =>
        answered.some((one) => one.entry === request && one.accepted && one.behavior === 'allow'),
      );
      if (times > 0 && !isAllowed) yield `the command of ${name} ran, and nobody allowed it`;
    }
  },

  /** No command ran that is not drawn (H12). */
  *ranShown({ sent, entries, ran }) {
    for (const { name } of sent) {
      const isShown = entries.some(
        (entry) =>
          entry.kind === 'tool' && JSON.stringify([entry.input, entry.fields, entry.title]).includes(name),
      );
      if ((ran.get(name) ?? 0) > 0 && !isShown) yield `the command of ${name} ran, and it is not shown`;
    }
  },

  /** Every page shows what is on disk, from where its window begins. */
  *pagesAgree({ disk, entries, views }) {
    for (const { name, conversation } of views) {
      if (conversation.v !== disk.v) {
        yield `${name} is at version ${conversation.v} instead of ${disk.v}`;
        continue;
      }
      const there = entries.filter(({ seq }) => seq >= conversation.from);
      yield* difference(name, there, [...entriesFrom(conversation.entries, conversation.from)]);
      for (const [what, page, truth] of [
        ['turns', conversation.turns, disk.turns],
        ['agent', conversation.agent, disk.agent],
        ['usage', conversation.usage, disk.usage],
        ['queue', conversation.queue, disk.queue],
      ])
        if (!isSame(page, truth))
          yield `${name}: ${String(what)} is ${JSON.stringify(page)} instead of ${JSON.stringify(truth)}`;
    }
  },

  *freshAgrees({ entries, fresh }) {
    yield* difference('a fresh page', entries, fresh);
  },

  /** The session's row agrees with the journal. */
  *rowAgrees({ row, disk }) {
    const summary = row?.summary;
    if (!summary) {
      yield 'the session list does not have it';
      return;
    }
    const listed = [summary.v, summary.entries, summary.turn, summary.waiting, summary.lastTurn];
    const truth = [
      disk.v,
      disk.nextSeq,
      turnState(disk),
      pendingRequests(disk).length,
      disk.turns.at(-1)?.endedBy,
    ];
    if (!isSame(listed, truth))
      yield `the list says ${JSON.stringify(listed)} instead of ${JSON.stringify(truth)}`;
  },

  /** A search for a prompt's name finds the prompt and its answers, and nothing twice. */
  *indexAgrees({ sent, entries, indexed }) {
    for (const { name } of sent) {
      const found = indexed.get(name);
      if (!found) continue;
      const there = new Set(
        entries.filter((entry) => 'text' in entry && speaksOf(entry, name)).map(({ id }) => id),
      );
      const missing = [...there].filter((id) => !found.has(id));
      if (missing.length > 0) yield `a search for ${name} does not find ${missing.join(', ')}`;
      const known = new Set(entries.map(({ id }) => id));
      for (const id of found) if (!known.has(id)) yield `a search for ${name} finds ${id}, which is gone`;
    }
  },
} satisfies Record<string, Rule>;

export function judge(evidence: Evidence): string[] {
  return Object.values<Rule>(RULES).flatMap((rule) => [...rule(evidence)]);
}

/** As JSON: an undefined field is absent. */
function isSame(one: unknown, other: unknown): boolean {
  const travelled = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(travelled(one), travelled(other));
}

function speaksOf(entry: Entry, name: string): boolean {
  return (entry.kind === 'user' || entry.kind === 'text') && new RegExp(`\\b${name}\\b`).test(entry.text);
}

function turnId(entries: readonly Entry[], prompt: string): string | undefined {
  return entries.find((entry) => entry.id === prompt)?.turn;
}

/** The outcome, where it is recent enough to be kept. */
function turnOf({ turns }: Conversation, entries: readonly Entry[], prompt: string): Turn | undefined {
  const id = turnId(entries, prompt);
  return turns.find((turn) => turn.id === id);
}

function* difference(who: string, truth: readonly Entry[], shown: readonly Entry[]): Iterable<string> {
  if (shown.length !== truth.length) yield `${who} shows ${shown.length} entries instead of ${truth.length}`;
  const known = new Map(truth.map((entry) => [entry.id, entry]));
  for (const entry of shown) {
    const same = known.get(entry.id);
    if (!isSame(same, entry)) {
      yield `${who} shows ${JSON.stringify(entry)} instead of ${JSON.stringify(same)}`;
      return;
    }
  }
}
