/** Rows of sessions: what the server knows of them while no host runs (ARCHITECTURE §3). */
import { type Summary, summarySchema } from '@tugdeck/protocol/conversation/summarize';
import type { Database } from './database.ts';

export interface StoredSession {
  readonly id: string;
  readonly project: string;
  readonly agent: string;
  readonly userTitle: string | undefined;
  readonly toldTitle: string | undefined;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly archived: boolean;
  readonly summary: Summary | undefined;
}

export interface SessionTable {
  /** Of projects that are not removed, newest activity first (S5). */
  list(): StoredSession[];
  /** The same, without what they hold. */
  order(): { id: string; project: string; activeAt: number }[];
  get(id: string): StoredSession | undefined;
  insert(session: { id: string; project: string; agent: string; createdAt: number }): void;
  /** Every id of ours, and of the agents' own that ours ever went on with: an agent may change it (A7). */
  owned(): string[];
  own(id: string, agentSession: string): void;
  rename(id: string, title: string): void;
  archive(id: string, archived: boolean): void;
  summarize(id: string, summary: Summary, activeAt: number): void;
}

interface Row {
  id: string;
  project: string;
  agent: string;
  user_title: string | null;
  told_title: string | null;
  created_at: number;
  active_at: number;
  archived: number;
  summary: string | null;
}

export function sessionTable(database: Database): SessionTable {
  const all = database.prepare(
    `SELECT sessions.* FROM sessions JOIN projects ON projects.id = sessions.project
     WHERE projects.removed_at IS NULL ORDER BY sessions.active_at DESC, sessions.rowid DESC`,
  );
  const order = database.prepare(
    `SELECT sessions.id, sessions.project, sessions.active_at FROM sessions
     JOIN projects ON projects.id = sessions.project
     WHERE projects.removed_at IS NULL ORDER BY sessions.active_at DESC, sessions.rowid DESC`,
  );
  const one = database.prepare('SELECT * FROM sessions WHERE id = ?');
  const insert = database.prepare(
    'INSERT INTO sessions (id, project, agent, created_at, active_at) VALUES (?, ?, ?, ?, ?)',
  );
  const owned = database.prepare(
    `SELECT id FROM sessions UNION SELECT agent_session FROM sessions WHERE agent_session IS NOT NULL
     UNION SELECT agent_session FROM agent_sessions`,
  );
  const own = database.prepare('INSERT OR IGNORE INTO agent_sessions (agent_session, session) VALUES (?, ?)');
  const rename = database.prepare('UPDATE sessions SET user_title = ? WHERE id = ?');
  const archive = database.prepare('UPDATE sessions SET archived = ? WHERE id = ?');
  const summarize = database.prepare(
    `UPDATE sessions SET summary = ?, active_at = ?, told_title = coalesce(?, told_title),
     agent_session = coalesce(?, agent_session) WHERE id = ?`,
  );
  return {
    list: () => (all.all() as Row[]).map(toSession),
    order: () =>
      (order.all() as Pick<Row, 'id' | 'project' | 'active_at'>[]).map(({ id, project, active_at }) => ({
        id,
        project,
        activeAt: active_at,
      })),
    get: (id) => {
      const row = one.get(id) as Row | undefined;
      return row && toSession(row);
    },
    insert: ({ id, project, agent, createdAt }) => void insert.run(id, project, agent, createdAt, createdAt),
    owned: () => (owned.all() as { id: string }[]).map(({ id }) => id),
    own: (id, agentSession) => void own.run(agentSession, id),
    rename: (id, title) => void rename.run(title, id),
    archive: (id, archived) => void archive.run(archived ? 1 : 0, id),
    summarize: (id, summary, activeAt) =>
      void summarize.run(
        JSON.stringify(summary),
        activeAt,
        summary.title ?? null,
        summary.agentSession ?? null,
        id,
      ),
  };
}

function toSession(row: Row): StoredSession {
  return {
    id: row.id,
    project: row.project,
    agent: row.agent,
    userTitle: row.user_title ?? undefined,
    toldTitle: row.told_title ?? undefined,
    createdAt: row.created_at,
    activeAt: row.active_at,
    archived: row.archived !== 0,
    summary: parseSummary(row.summary),
  };
}

/** A summary is only a copy for lists: one that cannot be read is as good as none. */
function parseSummary(text: string | null): Summary | undefined {
  if (text === null) return undefined;
  try {
    return summarySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
