/** How an agent does over all its sessions, for where it is chosen (A24). Pure. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { plural } from '../ui/format.ts';

export interface AgentSummary {
  /** "2 sessions connected"; empty where nothing runs. */
  readonly words: string;
  /** Why it last did not come up or stopped, while that is still so in some session. */
  readonly failure?: string;
}

export function agentSummary(agent: string, rows: readonly SessionRow[]): AgentSummary {
  const own = rows.filter((row) => row.agent === agent && row.summary !== undefined);
  const count = (state: string): number =>
    own.filter(({ live, summary }) => live && summary?.agentState === state).length;
  const words = [
    [count('connected'), 'connected'],
    [count('starting'), 'starting'],
    [count('reconnecting'), 'reconnecting'],
  ]
    .filter(([many]) => many !== 0)
    .map(([many, state]) => `${plural(Number(many), 'session')} ${state}`)
    .join(', ');
  const failed = own
    .filter(({ summary }) => summary?.agentReason !== undefined)
    .sort((a, b) => (b.summary?.changedAt ?? 0) - (a.summary?.changedAt ?? 0))[0];
  const failure = failed?.summary?.agentReason;
  return { words, ...(failure === undefined ? {} : { failure }) };
}
