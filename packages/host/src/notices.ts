/** Notices of the host, and descriptions of how an agent exited. */
import { randomUUID } from 'node:crypto';
import type { AgentExit } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';

const MAX_STDERR = 200;

export function hostNotice(notice: 'info' | 'fresh', level: 'info' | 'warning', text: string): ChangeBody {
  const id = `${notice === 'fresh' ? 'fresh' : 'host'}-${randomUUID()}`;
  return { kind: 'entry.opened', entry: { kind: 'notice', id, status: 'complete', notice, level, text } };
}

export function describeExit(label: string, exit: AgentExit): string {
  return exit.failure === undefined ? `${label} stopped (${howOf(exit)}).` : describeFailedStart(label, exit);
}

/** For an agent that never became ready; the last line of stderr is the only explanation. */
export function describeFailedStart(label: string, exit: AgentExit): string {
  if (exit.failure !== undefined) return `${label} could not be started: ${exit.failure}`;
  const last = exit.stderr.trim().split('\n').at(-1)?.trim().slice(0, MAX_STDERR);
  return `${label} could not be started (${howOf(exit)})${last ? `: ${last}` : '.'}`;
}

const howOf = ({ signal, code }: AgentExit): string => (signal ? `signal ${signal}` : `exit ${code}`);
