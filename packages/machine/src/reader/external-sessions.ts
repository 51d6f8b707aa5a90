/**
 * External sessions (A40) as session rows: listed under the project that contains their directory, hidden once one of
 * our sessions resumes them. A copy of what the reader reports.
 */
import { sep } from 'node:path';
import { externalId } from '@tugdeck/local/external-id';
import type { ExternalSession } from '@tugdeck/local/reader-link';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { AgentSession } from '@tugdeck/protocol/wire/host-link';
import { type DatedSession, NewestFirst } from '../sessions/newest-first.ts';

/** A project's directory, or one of its workspaces. */
export interface SessionFolder {
  readonly path: string;
  readonly project: string;
  readonly workspace?: string;
}

export interface ExternalSessionsOptions {
  readonly projects: () => readonly SessionFolder[];
  /** Whether one of our sessions resumes this agent session or has its row. */
  readonly isOwn: (session: ExternalSession) => boolean;
}

export class ExternalSessions {
  readonly #options: ExternalSessionsOptions;
  /** Sessions with a file that the reader found. */
  readonly #filed = new Map<string, ExternalSession>();
  /** Sessions that only a running agent listed. */
  readonly #listed = new Map<string, ExternalSession>();
  /** Both kinds, newest first. */
  readonly #order = new NewestFirst<ExternalSession>();
  /** Two agents of one kind may know the same session; the one with a file wins. */
  readonly #bySession = new Map<string, string>();
  #folderOfDirectory = new Map<string, SessionFolder | undefined>();
  #folders: readonly SessionFolder[] | undefined;

  constructor(options: ExternalSessionsOptions) {
    this.#options = options;
  }

  get(id: string): ExternalSession | undefined {
    return this.#filed.get(id) ?? this.#listed.get(id);
  }

  /** Whether the session has a file that can be read without the agent. */
  hasFile(id: string): boolean {
    return this.#filed.has(id);
  }

  /** Finds by the agent's own id. */
  find(session: string): ExternalSession | undefined {
    const id = this.#bySession.get(session);
    return id === undefined ? undefined : this.get(id);
  }

  /** Applies an update from the reader. */
  update(sessions: readonly ExternalSession[], gone: readonly string[]): void {
    for (const session of sessions) {
      const listed = this.#bySession.get(session.session);
      if (listed !== undefined) this.#remove(this.#listed, listed);
      this.#add(this.#filed, session);
    }
    for (const id of gone) this.#remove(this.#filed, id);
  }

  /**
   * Applies a running agent's session list (ACP `session/list`) and returns the changed rows. Sessions it no longer
   * lists are removed.
   */
  updateListed(agent: string, sessions: readonly AgentSession[]): string[] {
    const now = new Map<string, ExternalSession>();
    for (const { id: session, directory, title, updatedAt } of sessions) {
      const known = this.find(session);
      if (known && this.#filed.has(known.id)) continue;
      const id = externalId(agent, session);
      const at = updatedAt ?? known?.activeAt ?? 0;
      const name = title || 'Session';
      now.set(id, {
        id,
        agent,
        session,
        directory,
        title: name,
        createdAt: at,
        activeAt: at,
        elsewhere: false,
      });
    }
    const directories = new Set(sessions.map(({ directory }) => directory));
    const changed = new Set(now.keys());
    for (const known of this.#listed.values()) {
      if (known.agent !== agent || !directories.has(known.directory) || now.has(known.id)) continue;
      this.#remove(this.#listed, known.id);
      changed.add(known.id);
    }
    for (const session of now.values()) this.#add(this.#listed, session);
    return [...changed];
  }

  /** The list of projects changed: look up directories again. */
  projectsChanged(): void {
    this.#folders = undefined;
    this.#folderOfDirectory = new Map();
  }

  /** Sessions of all projects or of one, newest first. */
  *walk(project?: string): Generator<DatedSession> {
    for (const session of this.#order.walk()) {
      const folder = this.folderOf(session.directory);
      if (!folder || (project !== undefined && folder.project !== project)) continue;
      if (!this.#options.isOwn(session)) yield session;
    }
  }

  row(id: string): SessionRow | undefined {
    const session = this.get(id);
    const folder = session && this.folderOf(session.directory);
    if (!session || !folder || this.#options.isOwn(session)) return undefined;
    const { project, workspace } = folder;
    const { agent, title, createdAt, activeAt, elsewhere } = session;
    return {
      ...{ id, project, agent, title, createdAt, activeAt },
      ...(workspace === undefined ? {} : { workspace }),
      archived: false,
      live: false,
      origin: 'foreign',
      ...(elsewhere ? { elsewhere } : {}),
    };
  }

  /** The innermost project or workspace that contains the directory. */
  folderOf(directory: string): SessionFolder | undefined {
    if (this.#folderOfDirectory.has(directory)) return this.#folderOfDirectory.get(directory);
    this.#folders ??= [...this.#options.projects()].sort((a, b) => b.path.length - a.path.length);
    const inside = (path: string) =>
      directory === path || directory.startsWith(path.endsWith(sep) ? path : path + sep);
    const folder = this.#folders.find(({ path }) => inside(path));
    this.#folderOfDirectory.set(directory, folder);
    return folder;
  }

  #add(among: Map<string, ExternalSession>, session: ExternalSession): void {
    this.#remove(among, session.id);
    among.set(session.id, session);
    this.#order.add(session);
    this.#bySession.set(session.session, session.id);
  }

  #remove(among: Map<string, ExternalSession>, id: string): void {
    const known = among.get(id);
    if (!known) return;
    among.delete(id);
    this.#order.remove(known);
  }
}
