import type { AgentStatus } from '@tugdeck/protocol/conversation/session-info';

const LABELS: Readonly<Record<AgentStatus['state'], string | undefined>> = {
  idle: undefined,
  starting: 'starting',
  connected: undefined,
  disconnected: 'disconnected',
  reconnecting: 'reconnecting',
  failed: 'failed',
};

/** The agent's status text; undefined in the normal state. */
export function agentStatusText(agent: AgentStatus): string | undefined {
  return LABELS[agent.state];
}

const ALL: Readonly<Record<AgentStatus['state'], string>> = {
  idle: 'Agent: idle',
  starting: 'Agent: starting',
  connected: 'Agent: connected',
  disconnected: 'Agent: disconnected',
  reconnecting: 'Agent: reconnecting',
  failed: 'Agent: failed',
};

/** The agent's state, for the dot beside its name (A24). */
export function agentStateText({ state, reason }: AgentStatus): string {
  return reason === undefined || state === 'connected' ? ALL[state] : `${ALL[state]}. ${reason}`;
}
