/** Session summary for lists: a projection of state, never a second switch over changes (rule 7). */
import { z } from 'zod';
import { entriesFrom } from './entry-store.ts';
import {
  AGENT_STATES,
  MAX_AGENT_TITLE,
  NO_USAGE,
  TURN_ENDS,
  TURN_STATES,
  usageSchema,
} from './session-info.ts';
import { type Conversation, pendingRequests, turnState } from './state.ts';

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
});
export type Summary = z.infer<typeof summarySchema>;

const TITLE = 50;
const REASON = 300;

export function summarize(state: Conversation): Summary {
  const title = state.facts.agentTitle?.slice(0, MAX_AGENT_TITLE) ?? firstPrompt(state);
  const waiting = pendingRequests(state);
  const lastTurn = state.turns.at(-1)?.endedBy;
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
  };
}

/** The first prompt, if it is in the window. A list keeps the title it received once (S5). */
function firstPrompt(state: Conversation): string | undefined {
  if (state.from > 0) return undefined;
  for (const entry of entriesFrom(state.entries)) {
    if (entry.kind === 'user' && entry.text.trim() !== '') return shortTitle(entry.text);
  }
  return undefined;
}

export function shortTitle(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length <= TITLE) return line;
  // Cut at a word boundary, unless that leaves too little.
  const space = line.lastIndexOf(' ', TITLE - 1);
  return `${line.slice(0, space > TITLE / 2 ? space : TITLE - 1).trimEnd()}…`;
}
