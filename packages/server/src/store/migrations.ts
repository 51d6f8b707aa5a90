/**
 * The schema of `tugdeck.db`, as the steps that made it (S6). A shipped step is never edited: a change is a
 * further step at the end. The number of steps is the schema's version.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    -- Removed projects keep their row, so that their sessions come back with them (S4).
    removed_at INTEGER
  ) STRICT;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id),
    agent TEXT NOT NULL,
    agent_session TEXT,
    user_title TEXT,
    -- The agent's title or the first message, as last told by the session's host.
    told_title TEXT,
    created_at INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    read_v INTEGER NOT NULL DEFAULT 0,
    -- The last summary as JSON, for lists while no host runs.
    summary TEXT
  ) STRICT;
  CREATE INDEX sessions_by_project ON sessions (project, active_at);
  CREATE TABLE drafts (
    session TEXT PRIMARY KEY REFERENCES sessions (id),
    text TEXT NOT NULL,
    saved_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE layouts (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    layout TEXT NOT NULL,
    saved_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE sign_ins (
    id TEXT PRIMARY KEY,
    -- SHA-256 of the cookie's secret: who reads this file cannot sign in with it.
    secret_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- All the agents' own sessions that one of ours ever went on with: none of them is shown a second time.
  CREATE TABLE agent_sessions (
    agent_session TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id)
  ) STRICT;
  `,
  `
  -- The session it was forked from, and what of the agent's own it begins with, as JSON (A6).
  ALTER TABLE sessions ADD COLUMN parent TEXT;
  ALTER TABLE sessions ADD COLUMN begin TEXT;
  `,
  `
  -- The user's word on what a project brings (X6); whatever was added before there was a question was trusted.
  ALTER TABLE projects ADD COLUMN trust TEXT;
  UPDATE projects SET trust = 'yes';
  -- A session that a program asked for, not the user (A14).
  ALTER TABLE sessions ADD COLUMN by_program INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE TABLE usage_days (
    -- The user's day, as 2026-11-15.
    day TEXT NOT NULL,
    session TEXT NOT NULL REFERENCES sessions (id),
    model TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (day, session, model)
  ) STRICT;
  `,
  `
  -- In the trash since then, and emptied from it then: what a session used stays in the sums (S5, W5).
  ALTER TABLE sessions ADD COLUMN trashed_at INTEGER;
  ALTER TABLE sessions ADD COLUMN emptied_at INTEGER;
  -- The user's order; else that of their coming (S4).
  ALTER TABLE projects ADD COLUMN place INTEGER;
  `,
  `
  -- What tells one browser from another in the list of those that are let in (X1).
  ALTER TABLE sign_ins ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  ALTER TABLE sign_ins ADD COLUMN address TEXT NOT NULL DEFAULT '';
  ALTER TABLE sign_ins ADD COLUMN way TEXT NOT NULL DEFAULT 'link';
  `,
  `
  -- Lists are told a part at a time, newest first (S5).
  CREATE INDEX sessions_by_activity ON sessions (active_at);
  `,
  `
  -- A sign-in belongs to one life of the port, and its secret is not here (X1). Those of before had a cookie and end.
  DROP TABLE sign_ins;
  CREATE TABLE sign_ins (
    id TEXT PRIMARY KEY,
    instance TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    address TEXT NOT NULL,
    way TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- The user's answer for a whole repository (X6); \`projects.trust\` is read once more and then empty.
  CREATE TABLE trust (
    repository TEXT PRIMARY KEY,
    word TEXT NOT NULL,
    decided_at INTEGER NOT NULL
  ) STRICT;
  -- The project configurations that the yes was given to.
  CREATE TABLE trust_seen (
    repository TEXT NOT NULL,
    hash TEXT NOT NULL,
    findings TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (repository, hash)
  ) STRICT;
  `,
];
