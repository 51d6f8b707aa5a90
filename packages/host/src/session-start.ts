/** Chooses the agent's session that the next start resumes, forks or creates. Pure apart from new ids. */
import { randomUUID } from 'node:crypto';
import type { SessionStart } from '@tugdeck/drivers/kit/port';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

/** `begin`: the session to adopt, for a session that has none yet. */
export function sessionStart(
  { facts, nextSeq, memory, turns }: Pick<Conversation, 'facts' | 'nextSeq' | 'memory' | 'turns'>,
  begin: SessionStart | undefined,
): SessionStart {
  // After a restore (T24, T27): the former session is not written again.
  if (memory?.kind === 'fork') return { kind: 'fork', id: memory.id, at: memory.at };
  if (memory) return { kind: 'new', id: randomUUID() };
  // A session without a turn may start in another directory (B1), where the agent doesn't know it.
  const isUnused = begin === undefined && turns.length === 0;
  if (facts.agentSession && !isUnused) return { kind: 'resume', id: facts.agentSession };
  // An empty id means that resuming was tried and failed.
  if (facts.agentSession === undefined && begin) return { ...begin, replayHistory: nextSeq === 0 };
  return { kind: 'new', id: randomUUID() };
}
