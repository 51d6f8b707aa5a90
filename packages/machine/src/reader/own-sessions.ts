/** Our sessions as the reader needs them for search (S5). */
import type { OwnSession } from '@tugdeck/local/reader-link';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { Projects } from '../projects/projects.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface OwnSessions {
  /** Lazy: each session is looked up. */
  all(): Iterator<OwnSession>;
  get(session: string): OwnSession[];
}

export function ownSessions(
  sessions: Sessions,
  projects: Projects,
  isRunning: (session: string) => boolean,
): OwnSessions {
  const paths = () => new Map(projects.list().map(({ id, path }) => [id, path]));
  const toOwnSession = (row: SessionRow, directory: string | undefined): OwnSession[] => {
    if (directory === undefined) return [];
    const { id, agent, title, activeAt } = row;
    const agentSessions = sessions.agentSessions(id);
    return [{ id, agent, directory, title, activeAt, agentSessions, running: isRunning(id) }];
  };
  return {
    *all() {
      const known = paths();
      for (const { id } of sessions.walk()) {
        const row = sessions.find(id);
        if (row) yield* toOwnSession(row, known.get(row.project));
      }
    },
    get(session) {
      const row = sessions.find(session);
      return row ? toOwnSession(row, paths().get(row.project)) : [];
    },
  };
}
