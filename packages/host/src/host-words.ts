/** What the host itself says in a conversation, and how an agent's end is told to people. */
import { randomUUID } from 'node:crypto';
import type { AgentExit } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';

export function hostNotice(notice: 'info' | 'fresh', level: 'info' | 'warning', text: string): ChangeBody {
  const id = `${notice === 'fresh' ? 'fresh' : 'host'}-${randomUUID()}`;
  return { kind: 'entry.opened', entry: { kind: 'notice', id, status: 'complete', notice, level, text } };
}

export function describeExit(label: string, exit: AgentExit): string {
  if (exit.failure !== undefined) return `${label} could not be started: ${exit.failure}`;
  const how = exit.signal ? `signal ${exit.signal}` : `exit ${exit.code}`;
  return `${label} stopped (${how}).`;
}
