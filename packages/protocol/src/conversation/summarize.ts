/** Session summary for lists: a projection of state, never a second switch over changes (rule 7). */
import { z } from 'zod';
import type { RequestEntry } from './entries.ts';
import { entriesFrom, entryAt } from './entry-store.ts';
import {
  AGENT_STATES,
  MAX_AGENT_TITLE,
  NO_USAGE,
  TURN_ENDS,
  TURN_STATES,
  usageSchema,
} from './session-info.ts';
import { type Conversation, pendingRequests, promptUnderway, turnState } from './state.ts';
import { changesBetween } from './turn-changes.ts';

export const summarySchema = z.object({
  v: z.number().int().nonnegative(),
  title: z.string().optional(),
  agentSession: z.string().optional(),
  agentState: z.enum(AGENT_STATES),
  /** Why the agent is not connected, for the user; truncated. */
  agentReason: z.string().optional(),
  turn: z.enum(TURN_STATES),
  lastTurn: z.enum(TURN_ENDS).optional(),
  waiting: z.number().int().nonnegative(),
  /** Since when the oldest open request has been waiting for the user. */
  waitingSince: z.number().optional(),
  entries: z.number().int().nonnegative(),
  changedAt: z.number(),
  usage: usageSchema.optional(),
  model: z.string().optional(),
  /** One line: the latest text or tool of a running turn, or the beginning of its last text. Truncated. */
  activity: z.string().optional(),
  /** Title of the oldest open request; truncated. */
  request: z.string().optional(),
  /** Since when the running turn has been running. */
  turnStartedAt: z.number().optional(),
  /** Prompts that were accepted and have not started a turn. */
  queued: z.number().int().nonnegative().optional(),
  /**
   * A prompt waits for a slot (D40), since then. `ahead`: how many sessions come first, once the machine has said so.
   * Added by the host; not a projection of the conversation.
   */
  slot: z.object({ since: z.number(), ahead: z.number().int().nonnegative().optional() }).optional(),
  todos: z.object({ done: z.number().int(), total: z.number().int() }).optional(),
  /**
   * File changes by the tools of the running turn, or of the last turn that changed files. `last` is the number of
   * entries up to the last change.
   */
  changes: z
    .object({
      files: z.number().int(),
      added: z.number().int(),
      removed: z.number().int(),
      last: z.number().int(),
    })
    .optional(),
});
export type Summary = z.infer<typeof summarySchema>;

const TITLE = 50;
const REASON = 300;
const LINE = 160;
/** Entries searched for the latest line; notices and settled requests have none. */
const RECENT = 40;
/** Entries searched for the last file change, so that a summary costs the same in every conversation. */
const SEARCHED = 1_000;

export function summarize(state: Conversation): Summary {
  const title = state.facts.agentTitle?.slice(0, MAX_AGENT_TITLE) ?? firstPrompt(state);
  const waiting = pendingRequests(state);
  const lastTurn = state.turns.at(-1)?.endedBy;
  const [oldest] = [...waiting].sort((a, b) => a.at - b.at);
  const queued = state.queue.length + (promptUnderway(state) ? 1 : 0);
  const { activity, changes } = { activity: latestLine(state), changes: changesOf(state) };
  const done = state.todos.filter((todo) => todo.state === 'done').length;
  return {
    v: state.v,
    ...(title === undefined ? {} : { title }),
    ...(state.facts.agentSession === undefined ? {} : { agentSession: state.facts.agentSession }),
    agentState: state.agent.state,
    ...(state.agent.reason === undefined ? {} : { agentReason: state.agent.reason.slice(0, REASON) }),
    turn: turnState(state),
    ...(lastTurn === undefined ? {} : { lastTurn }),
    waiting: waiting.length,
    ...(waiting.length === 0 ? {} : { waitingSince: Math.min(...waiting.map(({ at }) => at)) }),
    entries: state.nextSeq,
    changedAt: state.changedAt,
    ...(state.usage === NO_USAGE ? {} : { usage: state.usage }),
    ...(state.facts.model === undefined ? {} : { model: state.facts.model }),
    ...(activity === undefined ? {} : { activity }),
    ...(oldest === undefined ? {} : { request: requestLine(oldest) }),
    ...(state.turn ? { turnStartedAt: state.turns.at(-1)?.startedAt ?? state.changedAt } : {}),
    ...(queued === 0 ? {} : { queued }),
    ...(state.todos.length === 0 ? {} : { todos: { done, total: state.todos.length } }),
    ...(changes === undefined ? {} : { changes }),
  };
}

function requestLine(entry: RequestEntry): string {
  switch (entry.kind) {
    case 'permission':
      return oneLine(entry.request.title);
    case 'question':
      return oneLine(entry.request.questions[0]?.text ?? 'Question');
    case 'plan':
      return 'Plan to approve';
    case 'form':
      return oneLine(entry.request.title);
  }
}

/** During a turn the newest line; afterwards the beginning of the last text, which usually says what was done. */
function latestLine(state: Conversation): string | undefined {
  for (let seq = state.nextSeq - 1; seq >= Math.max(state.from, state.nextSeq - RECENT); seq--) {
    const entry = entryAt(state.entries, seq);
    if (entry?.kind === 'user') return undefined;
    if (entry?.kind === 'tool' && state.turn) {
      return oneLine(
        `${entry.toolKind === 'shell' ? '$ ' : ''}${entry.progress || entry.title || entry.name}`,
      );
    }
    if (entry?.kind === 'text') {
      const lines = (state.turn ? entry.text.slice(-4 * LINE) : entry.text.slice(0, 4 * LINE))
        .split('\n')
        .filter((line) => oneLine(line) !== '');
      const line = state.turn ? lines.at(-1) : lines[0];
      if (line !== undefined) return oneLine(line, state.turn !== null);
    }
  }
  return undefined;
}

/** Without the marks of headings, lists, quotes and fences. `isTail`: of a long line, its end. */
function oneLine(text: string, isTail = false): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/^ ?(?:#{1,6} |[-*+>] |`{3,}\S*|\d+[.)] )+/, '')
    .replace(/\*\*|`/g, '')
    .trim();
  if (line.length <= LINE) return line;
  return isTail ? `…${line.slice(1 - LINE)}` : `${line.slice(0, LINE - 1)}…`;
}

function changesOf(state: Conversation): Summary['changes'] {
  const running = state.turn ? state.turns.at(-1) : undefined;
  const floor = Math.max(state.from, running?.firstSeq ?? 0, state.nextSeq - SEARCHED);
  const last = lastChange(state, floor);
  if (last === undefined) return undefined;
  const turn = state.turns.findLast(({ firstSeq }) => firstSeq <= last);
  return { ...changesBetween(state, turn?.firstSeq ?? 0, last + 1), last: last + 1 };
}

function lastChange(state: Conversation, floor: number): number | undefined {
  for (let seq = state.nextSeq - 1; seq >= floor; seq--) {
    const entry = entryAt(state.entries, seq);
    if (entry?.kind === 'tool' && entry.state === 'done' && (entry.diff?.length ?? 0) > 0) return seq;
  }
  return undefined;
}

/** The first prompt, if it is in the window. A list keeps the title it received once (S5). */
function firstPrompt(state: Conversation): string | undefined {
  if (state.from > 0) return undefined;
  for (const entry of entriesFrom(state.entries)) {
    if (entry.kind === 'user' && entry.text.trim() !== '') return shortTitle(entry.text);
  }
  // A new session whose first prompt waits for a slot.
  const queued = state.queue[0]?.text.trim();
  return queued ? shortTitle(queued) : undefined;
}

export function shortTitle(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= TITLE) return line;
  // Cut at a word boundary, unless that leaves too little.
  const space = line.lastIndexOf(' ', TITLE - 1);
  return `${line.slice(0, space > TITLE / 2 ? space : TITLE - 1).trimEnd()}…`;
}
