/** The agent's own sessions, requested page by page by a cursor. */
import { textAt } from './fields.ts';
import type { Peer } from './peer.ts';
import type { AgentSession } from './port.ts';

const MAX_PAGES = 20;
const MAX_SESSIONS = 500;

/** Resolves even if the agent exits, with what it sent. */
export function requestSessions(
  peer: Peer,
  method: string,
  params: Readonly<Record<string, unknown>>,
  sessionsIn: (result: unknown) => readonly AgentSession[],
): Promise<readonly AgentSession[]> {
  const found = new Map<string, AgentSession>();
  return new Promise((resolve) => {
    const requestPage = (page: number, cursor: string | undefined): void => {
      const at = cursor === undefined ? {} : { cursor };
      peer.request(method, { ...params, ...at }, ({ result }) => {
        for (const session of sessionsIn(result)) found.set(session.id, session);
        const next = textAt(result, 'nextCursor');
        const isEnough = page >= MAX_PAGES || found.size >= MAX_SESSIONS || next === cursor;
        if (next === undefined || isEnough) resolve([...found.values()].slice(0, MAX_SESSIONS));
        else requestPage(page + 1, next);
      });
    };
    requestPage(1, undefined);
  });
}
