/**
 * The schema of `tugdeck.db` as migration steps (S6). Never edit a shipped step; add a new one at the end. The schema
 * version is the number of steps.
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
    -- The agent's title or the first message, as last reported by the session's host.
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
    -- SHA-256 of the cookie's secret: reading this file is not enough to sign in.
    secret_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Every agent session that one of our sessions ever resumed: these are not listed a second time.
  CREATE TABLE agent_sessions (
    agent_session TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id)
  ) STRICT;
  `,
  `
  -- The session it was forked from, and the agent session it starts from, as JSON (A6).
  ALTER TABLE sessions ADD COLUMN parent TEXT;
  ALTER TABLE sessions ADD COLUMN begin TEXT;
  `,
  `
  -- The user's trust decision (X6); projects added before this column were trusted.
  ALTER TABLE projects ADD COLUMN trust TEXT;
  UPDATE projects SET trust = 'yes';
  -- Created by a program, not by the user (A14).
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
  -- When it was trashed, and when it was permanently deleted: its usage stays in the totals (S5, W5).
  ALTER TABLE sessions ADD COLUMN trashed_at INTEGER;
  ALTER TABLE sessions ADD COLUMN emptied_at INTEGER;
  -- The user's order; otherwise the order added (S4).
  ALTER TABLE projects ADD COLUMN place INTEGER;
  `,
  `
  -- Identifies browsers in the list of sign-ins (X1).
  ALTER TABLE sign_ins ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  ALTER TABLE sign_ins ADD COLUMN address TEXT NOT NULL DEFAULT '';
  ALTER TABLE sign_ins ADD COLUMN way TEXT NOT NULL DEFAULT 'link';
  `,
  `
  -- Lists are sent in parts, newest first (S5).
  CREATE INDEX sessions_by_activity ON sessions (active_at);
  `,
  `
  -- A sign-in belongs to one instance of the port, and its secret is not stored (X1). Earlier ones used a cookie and end.
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
  -- The user's decision for a whole repository (X6); \`projects.trust\` is migrated once and then empty.
  CREATE TABLE trust (
    repository TEXT PRIMARY KEY,
    word TEXT NOT NULL,
    decided_at INTEGER NOT NULL
  ) STRICT;
  -- The project configurations that the user trusted.
  CREATE TABLE trust_seen (
    repository TEXT NOT NULL,
    hash TEXT NOT NULL,
    findings TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (repository, hash)
  ) STRICT;
  `,
  `
  -- Separate checkouts of a project's repository (B1). \`op\` is the write-ahead record of an operation (B11).
  CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    repository TEXT NOT NULL,
    branch TEXT,
    made_branch INTEGER NOT NULL,
    base_ref TEXT,
    base_commit TEXT,
    slot INTEGER UNIQUE,
    op TEXT,
    fault TEXT,
    notes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    archived_at INTEGER
  ) STRICT;
  -- Where the session works; empty in the project's own directory.
  ALTER TABLE sessions ADD COLUMN workspace TEXT REFERENCES workspaces (id);
  `,
  `
  -- The last landing of a workspace (B49).
  ALTER TABLE workspaces ADD COLUMN landing TEXT;
  `,
  `
  -- The pull request of a workspace (B54).
  ALTER TABLE workspaces ADD COLUMN pull TEXT;
  `,
  `
  -- A paired device: its name, whether it may only read and answer, and when it was last used (N54, N55).
  ALTER TABLE sign_ins ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE sign_ins ADD COLUMN limited INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sign_ins ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Groups of attempts (B37). \`op\` is the write-ahead record of starting them or of archiving the others.
  CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id),
    title TEXT NOT NULL,
    base_ref TEXT,
    base_commit TEXT NOT NULL,
    members TEXT NOT NULL,
    chosen TEXT,
    op TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  `,
];
