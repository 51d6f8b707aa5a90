/** Notices of the host, and descriptions of how an agent exited. */
import { randomUUID } from 'node:crypto';
import type { AgentExit } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

const MAX_STDERR = 200;

export function hostNotice(notice: 'info' | 'fresh', level: 'info' | 'warning', text: string): ChangeBody {
  const id = `${notice === 'fresh' ? 'fresh' : 'host'}-${randomUUID()}`;
  return { kind: 'entry.opened', entry: { kind: 'notice', id, status: 'complete', notice, level, text } };
}

const MOVED = 'moved-';

/** The changes for a session that works in another directory than its last host (B74). */
export function handedOff({ facts, turns }: Conversation, directory: string): ChangeBody[] {
  const from = facts.directory;
  if (from === undefined || from === directory) return [];
  // Without a turn, the agent was only started early, and has done nothing in the other directory (decision 0255).
  if (turns.length === 0) return [];
  const text = `This session now works in ${directory} instead of ${from}.`;
  const id = `${MOVED}${randomUUID()}`;
  return [
    { kind: 'workspace.changed', from, directory },
    {
      kind: 'entry.opened',
      entry: { kind: 'notice', id, status: 'complete', notice: 'info', level: 'info', text },
    },
  ];
}

/**
 * Adds the new directory to the first prompt after a hand-off: the agent's history names files in the former one. At
 * the end, because records of agents are matched by the start of a prompt.
 */
export function withMoved(text: string, entry: UserEntry, entries: Iterable<Entry>): string {
  let moved: string | undefined;
  for (const one of entries) {
    if (one.seq >= entry.seq) break;
    if (one.kind === 'notice' && one.id.startsWith(MOVED)) moved = one.text;
    else if (one.kind === 'user' && one.delivery === 'delivered' && !isCommand(one.text)) moved = undefined;
  }
  if (moved === undefined || isCommand(text)) return text;
  return `${text}\n\n(${moved} Use the files in the new directory, not those in the former one.)`;
}

function isCommand(text: string): boolean {
  return text.startsWith('/');
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
