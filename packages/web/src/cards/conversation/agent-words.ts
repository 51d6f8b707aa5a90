import type { AgentStatus } from '@tugdeck/protocol/conversation/session-facts';

const WORDS: Readonly<Record<AgentStatus['state'], string | undefined>> = {
  idle: undefined,
  starting: 'starting',
  connected: undefined,
  disconnected: 'not connected',
  reconnecting: 'restarting',
  failed: 'failed',
};

/** What is said of the agent; nothing when it is as it should be. */
export function agentWords(agent: AgentStatus): string | undefined {
  return WORDS[agent.state];
}
