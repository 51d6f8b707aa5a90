/** Summarizes an agent's state over all its sessions, for the agent picker (A24). Pure. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { plural } from './format.ts';

export interface AgentSummary {
  /** "running in 2 sessions"; empty if it runs in none. */
  readonly text: string;
  /** Why it last failed to start or stopped, while a session is still in that state. */
  readonly failure?: string;
}

export function agentSummary(agent: string, rows: readonly SessionRow[]): AgentSummary {
  const own = rows.filter((row) => row.agent === agent && row.summary !== undefined);
  const count = (state: string): number =>
    own.filter(({ live, summary }) => live && summary?.agentState === state).length;
  const text = [
    [count('connected'), 'running'],
    [count('starting'), 'starting'],
    [count('reconnecting'), 'reconnecting'],
  ]
    .filter(([many]) => many !== 0)
    .map(([many, state]) => `${state} in ${plural(Number(many), 'session')}`)
    .join(', ');
  const failed = own
    .filter(({ summary }) => summary?.agentReason !== undefined)
    .sort((a, b) => (b.summary?.changedAt ?? 0) - (a.summary?.changedAt ?? 0))[0];
  const failure = failed?.summary?.agentReason;
  return { text, ...(failure === undefined ? {} : { failure }) };
}
