/** The agent's threads of a directory, including those of the Codex terminal interface and of `exec`, without subagents. */
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { Peer } from '../kit/peer.ts';
import type { AgentSession } from '../kit/port.ts';
import { requestSessions } from '../kit/session-pages.ts';

/** Without these, threads of `exec` are omitted. */
const SOURCES = ['cli', 'vscode', 'exec', 'appServer', 'unknown'];

export function listThreads(peer: Peer, directory: string): Promise<readonly AgentSession[]> {
  const params = { cwd: directory, limit: 100, sortKey: 'updated_at', sourceKinds: SOURCES };
  return requestSessions(peer, 'thread/list', params, (result) => sessionsIn(result, directory));
}

/** Without a name, the beginning of the first message is the title. */
export function sessionsIn(result: unknown, directory: string): AgentSession[] {
  return listOf(recordOf(result).data).flatMap((thread) => {
    const id = textAt(thread, 'id');
    if (!id) return [];
    const title = (textAt(thread, 'name') ?? textAt(thread, 'preview'))?.trim();
    const updated = numberAt(thread, 'updatedAt');
    return [
      {
        id,
        directory: textAt(thread, 'cwd') ?? directory,
        ...(title ? { title: title.slice(0, 500) } : {}),
        ...(updated === undefined || updated < 0 ? {} : { updatedAt: updated * 1000 }),
      },
    ];
  });
}
