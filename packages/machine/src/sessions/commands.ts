/** Requests of `tugdeck` commands about projects and sessions (L2, L5, L6). */
import type { HostPool } from '../hosts/host-pool.ts';
import type { Environment, MachineStatus, PreparedSession, PrepareSession } from '../port.ts';
import type { Projects } from '../projects/projects.ts';
import type { ReaderProcess } from '../reader/reader-process.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { DeckService } from './deck-service.ts';
import type { Sessions } from './sessions.ts';

export interface CommandsOptions {
  readonly projects: Projects;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  readonly pool: HostPool;
  readonly deck: DeckService;
  readonly reader: ReaderProcess;
}

export class Commands {
  readonly #options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  async openProject(
    directory: string,
    environment: Environment,
    { trust }: { trust: boolean },
  ): Promise<string> {
    const { projects, deck } = this.#options;
    const project = await projects.open(directory, environment);
    if (trust) await this.#trust(project.id);
    deck.show(project.id);
    return project.id;
  }

  async prepareSession({ session, create, fork, trust }: PrepareSession): Promise<PreparedSession> {
    const { projects, sessions, workspaces, pool, deck } = this.#options;
    const known = create ? undefined : sessions.find(fork?.of ?? session);
    if (trust && known) await this.#trust(known.workspace ?? known.project);
    // A session is only created if its prompt can at least be queued.
    if (create || fork) pool.slots.assertRoom();
    if (create) {
      const project = await projects.open(create.directory, create.environment);
      if (trust) await this.#trust(project.id);
      deck.publishProject(project.id);
      const agent = create.agent ?? deck.head().defaultAgent;
      const workspace =
        create.workspace === undefined ? project.workspace : workspaces.find(project.id, create.workspace).id;
      if (trust && workspace !== undefined) await this.#trust(workspace);
      sessions.create(session, project.id, agent, { from: create.from, byProgram: true, workspace });
      deck.rowChanged(session);
    } else if (fork) {
      await deck.perform({ type: 'session.fork', id: session, session, ...fork });
    } else sessions.row(session);
    const leftOut = pool.isLive(session) ? undefined : sessions.skippedConfig(session);
    const isFull = !pool.slots.hasRoom(session);
    return {
      ...(leftOut === undefined ? {} : { leftOut }),
      ...(isFull ? { isFull } : {}),
    };
  }

  async status(): Promise<MachineStatus> {
    const { projects, sessions, pool, reader } = this.#options;
    const rows = sessions.list();
    const titles = new Map(rows.map(({ id, title }) => [id, title]));
    return {
      projects: projects.list().map(({ id, name, path }) => ({ id, name, path })),
      sessions: rows.length,
      ...(reader.state ? { reader: reader.state } : {}),
      hosts: pool.list().map(({ session, record, summary }) => ({
        session,
        title: titles.get(session) ?? 'Session of a removed project',
        pid: record.identity.pid,
        turn: summary?.turn ?? 'idle',
      })),
    };
  }

  /** `--trust` accepts the configuration as it is now (X6). */
  #trust(project: string): Promise<void> {
    return this.#options.deck.perform({ type: 'project.trust', id: project, project, trust: 'yes' });
  }
}
