/**
 * Sessions that only their agent's own files have (A40), as rows of the deck: under the project that their directory
 * lies in, and hidden once a session of ours goes on with them. A copy of what the reader tells; owns nothing.
 */
import { sep } from 'node:path';
import type { ForeignSession } from '@tugdeck/local/reader-link';
import type { Project, SessionRow } from '@tugdeck/protocol/wire/deck';

export interface ForeignSessionsOptions {
  readonly projects: () => readonly Project[];
  /** A session of ours goes on with this one of an agent's, or has its row. */
  readonly isOwn: (session: ForeignSession) => boolean;
}

export class ForeignSessions {
  readonly #options: ForeignSessionsOptions;
  readonly #sessions = new Map<string, ForeignSession>();
  #places = new Map<string, string | undefined>();
  #projects: readonly Project[] | undefined;

  constructor(options: ForeignSessionsOptions) {
    this.#options = options;
  }

  get(id: string): ForeignSession | undefined {
    return this.#sessions.get(id);
  }

  /** By the agent's own id. */
  find(session: string): ForeignSession | undefined {
    for (const known of this.#sessions.values()) if (known.session === session) return known;
    return undefined;
  }

  /** Takes what the reader says. */
  told(sessions: readonly ForeignSession[], gone: readonly string[]): void {
    for (const session of sessions) this.#sessions.set(session.id, session);
    for (const id of gone) this.#sessions.delete(id);
  }

  /** The list of projects changed: sessions may lie elsewhere now. */
  projectsChanged(): void {
    this.#projects = undefined;
    this.#places = new Map();
  }

  order(project?: string): { id: string; activeAt: number }[] {
    const order: { id: string; activeAt: number }[] = [];
    for (const session of this.#sessions.values()) {
      const place = this.#projectOf(session.directory);
      if (place === undefined || (project !== undefined && place !== project)) continue;
      if (!this.#options.isOwn(session)) order.push({ id: session.id, activeAt: session.activeAt });
    }
    return order;
  }

  row(id: string): SessionRow | undefined {
    const session = this.#sessions.get(id);
    const project = session && this.#projectOf(session.directory);
    if (!session || project === undefined || this.#options.isOwn(session)) return undefined;
    const { agent, title, createdAt, activeAt, elsewhere } = session;
    return {
      ...{ id, project, agent, title, createdAt, activeAt },
      archived: false,
      live: false,
      origin: 'foreign',
      ...(elsewhere ? { elsewhere } : {}),
    };
  }

  /** The deepest project that the directory lies in. */
  #projectOf(directory: string): string | undefined {
    if (this.#places.has(directory)) return this.#places.get(directory);
    this.#projects ??= [...this.#options.projects()].sort((a, b) => b.path.length - a.path.length);
    const inside = (path: string) =>
      directory === path || directory.startsWith(path.endsWith(sep) ? path : path + sep);
    const project = this.#projects.find(({ path }) => inside(path))?.id;
    this.#places.set(directory, project);
    return project;
  }
}
