/** Session rows: what the server knows about a session while no host runs. */
import { type Summary, summarySchema } from '@tugdeck/protocol/conversation/summarize';
import { type SessionBegin, sessionBeginSchema } from '@tugdeck/protocol/wire/deck';
import type { z } from 'zod';
import type { Database } from './database.ts';

export interface StoredSession {
  readonly id: string;
  readonly project: string;
  /** The workspace it works in; undefined in the project's own directory. */
  readonly workspace: string | undefined;
  readonly agent: string;
  /** The agent's id for the session, as last reported. */
  readonly agentSession: string | undefined;
  readonly parent: string | undefined;
  readonly begin: SessionBegin | undefined;
  /** Created by a program, not by the user. */
  readonly byProgram: boolean;
  readonly userTitle: string | undefined;
  readonly fallbackTitle: string | undefined;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly archived: boolean;
  readonly trashedAt: number | undefined;
  readonly seen: number;
  readonly summary: Summary | undefined;
}

export interface NewSession {
  readonly id: string;
  readonly project: string;
  readonly workspace?: string | undefined;
  readonly agent: string;
  readonly createdAt: number;
  readonly parent?: string | undefined;
  readonly begin?: SessionBegin | undefined;
  readonly byProgram?: boolean | undefined;
}

/** Sort key of a session in the list. */
export interface PlacedSession {
  readonly id: string;
  readonly activeAt: number;
  readonly place: number;
}

export interface ListQuery {
  readonly limit: number;
  readonly project?: string | undefined;
  readonly after?: PlacedSession | undefined;
}

export interface SessionTable {
  /** Sessions of projects that are not removed, newest activity first (S5). */
  list(): StoredSession[];
  /** Up to `limit` ids in that order, of one project or all, after a given session. */
  newest(part: ListQuery): PlacedSession[];
  get(id: string): StoredSession | undefined;
  /** Finds by the agent's session id, also before the session was resumed here. */
  findByAgentSession(agent: string, agentSession: string): StoredSession | undefined;
  insert(session: NewSession): void;
  /** All our session ids and every agent session that ours ever resumed: an agent may change its id (A7). */
  ownedIds(): string[];
  recordAgentSession(id: string, agentSession: string): void;
  agentSessions(id: string): string[];
  rename(id: string, title: string): void;
  /** Moves it to a workspace, or to the project's own directory. */
  move(id: string, workspace: string | undefined): void;
  /** The title reported by the host; the user's own title takes precedence. */
  setFallbackTitle(id: string, title: string, activeAt?: number): void;
  archive(id: string, archived: boolean): void;
  /** Where it works from now on; undefined is the project's own directory. */
  place(id: string, workspace: string | undefined): void;
  trash(id: string, at: number | undefined): void;
  markSeen(id: string, entries: number): void;
  /** Marks sessions trashed before `before` as deleted and returns their ids; they are no longer listed or found. */
  empty(before: number, at: number): string[];
  summarize(id: string, summary: Summary, activeAt: number): void;
}

interface Row {
  id: string;
  project: string;
  workspace: string | null;
  agent: string;
  agent_session: string | null;
  parent: string | null;
  begin: string | null;
  by_program: number;
  user_title: string | null;
  told_title: string | null;
  created_at: number;
  active_at: number;
  archived: number;
  trashed_at: number | null;
  read_v: number;
  summary: string | null;
}

export function sessionTable(database: Database): SessionTable {
  const all = database.prepare(
    `SELECT sessions.* FROM sessions JOIN projects ON projects.id = sessions.project
     WHERE projects.removed_at IS NULL AND sessions.emptied_at IS NULL ORDER BY sessions.active_at DESC, sessions.rowid DESC`,
  );
  const newestOf = (which: string) =>
    database.prepare(
      `SELECT sessions.id, sessions.active_at AS activeAt, sessions.rowid AS place FROM sessions
       JOIN projects ON projects.id = sessions.project
       WHERE projects.removed_at IS NULL AND sessions.emptied_at IS NULL AND (sessions.active_at, sessions.rowid) < (?, ?)
       ${which} ORDER BY sessions.active_at DESC, sessions.rowid DESC LIMIT ?`,
    );
  const newest = newestOf('');
  const newestOfProject = newestOf('AND sessions.project = ?');
  const one = database.prepare('SELECT * FROM sessions WHERE id = ? AND emptied_at IS NULL');
  const insert = database.prepare(
    `INSERT INTO sessions (id, project, agent, created_at, active_at, parent, begin, by_program, workspace)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byOwn = database.prepare(
    `SELECT * FROM sessions WHERE agent = ? AND (agent_session = ?
     OR (begin ->> 'kind' = 'resume' AND begin ->> 'id' = ? AND agent_session IS NULL)) LIMIT 1`,
  );
  const owned = database.prepare(
    `SELECT id FROM sessions UNION SELECT agent_session FROM sessions WHERE agent_session IS NOT NULL
     UNION SELECT agent_session FROM agent_sessions`,
  );
  const ofSession = database.prepare(
    `SELECT agent_session FROM agent_sessions WHERE session = ?
     UNION SELECT agent_session FROM sessions WHERE id = ? AND agent_session IS NOT NULL`,
  );
  const own = database.prepare('INSERT OR IGNORE INTO agent_sessions (agent_session, session) VALUES (?, ?)');
  const move = database.prepare('UPDATE sessions SET workspace = ? WHERE id = ?');
  const rename = database.prepare('UPDATE sessions SET user_title = ? WHERE id = ?');
  const titled = database.prepare(
    'UPDATE sessions SET told_title = ?, active_at = coalesce(?, active_at) WHERE id = ?',
  );
  const archive = database.prepare('UPDATE sessions SET archived = ? WHERE id = ?');
  const place = database.prepare('UPDATE sessions SET workspace = ? WHERE id = ?');
  const summarize = database.prepare(
    `UPDATE sessions SET summary = ?, active_at = ?, told_title = coalesce(?, told_title),
     agent_session = coalesce(?, agent_session) WHERE id = ?`,
  );
  const trash = database.prepare('UPDATE sessions SET trashed_at = ? WHERE id = ?');
  const see = database.prepare('UPDATE sessions SET read_v = max(read_v, ?) WHERE id = ?');
  const empty = database.prepare(
    'UPDATE sessions SET emptied_at = ? WHERE trashed_at < ? AND emptied_at IS NULL RETURNING id',
  );
  return {
    list: () => (all.all() as Row[]).map(toSession),
    newest: ({ limit, project, after }) => {
      const from = [after?.activeAt ?? Number.MAX_SAFE_INTEGER, after?.place ?? Number.MAX_SAFE_INTEGER];
      const found =
        project === undefined ? newest.all(...from, limit) : newestOfProject.all(...from, project, limit);
      return found as PlacedSession[];
    },
    get: (id) => {
      const row = one.get(id) as Row | undefined;
      return row && toSession(row);
    },
    findByAgentSession: (agent, agentSession) => {
      const row = byOwn.get(agent, agentSession, agentSession) as Row | undefined;
      return row && toSession(row);
    },
    insert: ({ id, project, agent, createdAt, parent, begin, byProgram, workspace }) =>
      void insert.run(
        id,
        project,
        agent,
        createdAt,
        createdAt,
        parent ?? null,
        begin ? JSON.stringify(begin) : null,
        byProgram ? 1 : 0,
        workspace ?? null,
      ),
    ownedIds: () => (owned.all() as { id: string }[]).map(({ id }) => id),
    agentSessions: (id) =>
      (ofSession.all(id, id) as { agent_session: string }[]).map((row) => row.agent_session),
    recordAgentSession: (id, agentSession) => void own.run(agentSession, id),
    move: (id, workspace) => void move.run(workspace ?? null, id),
    rename: (id, title) => void rename.run(title, id),
    trash: (id, at) => void trash.run(at ?? null, id),
    markSeen: (id, entries) => void see.run(entries, id),
    empty: (before, at) => (empty.all(at, before) as { id: string }[]).map(({ id }) => id),
    setFallbackTitle: (id, title, activeAt) => void titled.run(title, activeAt ?? null, id),
    place: (id, workspace) => void place.run(workspace ?? null, id),
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
    workspace: row.workspace ?? undefined,
    agent: row.agent,
    agentSession: row.agent_session ?? undefined,
    parent: row.parent ?? undefined,
    begin: parse(row.begin, sessionBeginSchema),
    byProgram: row.by_program !== 0,
    userTitle: row.user_title ?? undefined,
    fallbackTitle: row.told_title ?? undefined,
    createdAt: row.created_at,
    activeAt: row.active_at,
    archived: row.archived !== 0,
    trashedAt: row.trashed_at ?? undefined,
    seen: row.read_v,
    summary: parse(row.summary, summarySchema),
  };
}

/** JSON written by an older version may not match; then it is ignored. */
function parse<T>(text: string | null, schema: z.ZodType<T>): T | undefined {
  if (text === null) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
