/** A session's state, as lists and tabs show it. */
import type { Summary } from '@tugdeck/protocol/conversation/summarize';

export type SessionState = 'running' | 'waiting' | 'failed' | 'rest' | 'off';

export function sessionState(summary: Summary | undefined, isLive: boolean): SessionState {
  if (!summary) return isLive ? 'rest' : 'off';
  if (isLive && summary.waiting > 0) return 'waiting';
  if (summary.agentState === 'failed') return 'failed';
  if (isLive && summary.turn !== 'idle') return 'running';
  if (summary.lastTurn === 'error') return 'failed';
  return 'rest';
}
