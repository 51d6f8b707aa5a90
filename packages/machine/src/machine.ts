/**
 * This machine, in process: the port's implementation, with `start` and `close`. It may be killed at any time: durable
 * state is in the store, running agents are in hosts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { readBlob, storeText } from '@tugdeck/journal/blobs';
import { Closing } from '@tugdeck/local/closing';
import type { StartProgram } from '@tugdeck/local/spawn-host';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { ServedArea } from './areas/serve-area.ts';
import { servedAreas } from './areas/served-areas.ts';
import type { Configuration } from './configuration.ts';
import { fileContents } from './files/file-contents.ts';
import type { HostAddress } from './hosts/host-connection.ts';
import { type Machine, refusedChannel } from './port.ts';
import { browse } from './projects/browse.ts';
import { readPlacement } from './projects/placement.ts';
import { createServices, type Services, type ServicesOptions } from './services.ts';
import { Commands } from './sessions/commands.ts';
import { DeckChannel } from './sessions/deck-channel.ts';
import { emptyTrash } from './sessions/empty-trash.ts';
import type { ServerAccess } from './settings/settings-area.ts';
import { performWorkspaceRequest } from './workspaces/workspace-commands.ts';

export interface LocalMachine extends Machine {
  /**
   * Resolves when pages may connect. `adopted` resolves when hosts of an earlier server are adopted or recovered.
   */
  start(): Promise<{ readonly adopted: Promise<void> }>;
  /** Starts reading session files, once the user has an address: it would compete with the startup. */
  startReader(): void;
  /** The gateway that serves this machine's pages: Settings shows its address and sign-ins. */
  serveFor(access: ServerAccess): void;
  /** The socket of a session's host, for programs on this machine; starts the host if needed. */
  hostAddress(session: string): Promise<HostAddress>;
  /** Calls `use` with the configuration, now and after every change. Returns a function that ends this. */
  configured(use: (configuration: Configuration) => void): () => void;
  /** Sets one value of `config.json`. */
  configure(path: readonly string[], value: unknown): void;
  /** Starts a program that outlives us, without blocking. */
  readonly startProgram: StartProgram;
  close(): Promise<void>;
}

const DAY_MS = 24 * 3600 * 1000;
/** A running terminal host reports its terminals within milliseconds. */
const TERMINALS_MS = 500;

export function createMachine(options: ServicesOptions): LocalMachine {
  const closing = new Closing();
  const services = createServices(options, closing);
  let areas: readonly ServedArea[] = [];
  return {
    ...portOf(options, services, () => areas),
    serveFor(access) {
      areas = servedAreas(services, access);
    },
    hostAddress: (session) => services.pool.ensure(session),
    configured(use) {
      const { configuration } = services.settings;
      use(configuration.current);
      return configuration.subscribe(() => use(configuration.current));
    },
    configure: (path, value) => services.settings.configuration.set(path, value),
    startProgram: services.starter.start,
    start: () => start(options, services, closing),
    startReader: () => services.reader.start(),
    close: () => closing.close(),
  };
}

function portOf(
  { id, data, store }: ServicesOptions,
  services: Services,
  areas: () => readonly ServedArea[],
): Machine {
  const { deck, sessions, external, projects, trust, agents, channels, reader, files } = services;
  const commands = new Commands(services);
  return {
    id,
    files: fileContents(files),
    openDeck: (send) => new DeckChannel(deck, send),
    openChannel: (session, send) => channels.open(session, send),
    openArea: (name, about, out) =>
      areas()
        .find((area) => area.name === name)
        ?.open(about, out) ?? refusedChannel(new CodedError('INVALID_MESSAGE', `Unknown feed: ${name}.`)),
    perform: (request) => deck.perform(request),
    isStored: async (session) => deck.isStored(session),
    readBlob: async (session, hash) =>
      (store.sessions.get(session) ? readBlob(data.session(session), hash) : undefined) ??
      (external.get(session) ? readBlob(data.foreign(session), hash) : undefined),
    storeBlob: async (session, text) => storeText(data.session(sessions.row(session).id), text),
    browse,
    async describeConfig(project, agent) {
      const { directory, project: owner } = projects.place(project);
      return trust.describe(directory, agents.untrustedStart(agent, owner.path));
    },
    openProject: (directory, environment, how) => commands.openProject(directory, environment, how),
    prepareSession: (request) => commands.prepareSession(request),
    workspaces: (directory, environment, request) =>
      performWorkspaceRequest(services, directory, environment, request),
    placement: () => readPlacement(projects),
    status: () => commands.status(),
    search: (search) => reader.search(search),
    rebuildIndex: () => reader.rebuild(),
  };
}

async function start(
  { store, data, timings, log, now }: ServicesOptions,
  { settings, pool, finalSummaries, firstPrompts, terminals, workspaces, attempts }: Services,
  closing: Closing,
): Promise<{ readonly adopted: Promise<void> }> {
  settings.configuration.watch();
  const emptyOldTrash = () =>
    void emptyTrash(store.sessions, data, { now: now(), trashMs: timings.trashMs }).catch((error: unknown) =>
      log.warn('trash', { error }),
    );
  const emptyAll = () => {
    emptyOldTrash();
    void workspaces.empty().catch((error: unknown) => log.warn('archives', { error }));
  };
  emptyAll();
  const trashTimer = setInterval(emptyAll, DAY_MS);
  trashTimer.unref();
  closing.addStep(() => clearInterval(trashTimer));
  await workspaces.adoptProjects(store.projects).catch((error: unknown) => log.warn('workspaces', { error }));
  workspaces.resume(['create', 'restore']);
  // Before the first page connects, so that it sees running hosts.
  const adoptedHosts = pool
    .adopt()
    .then(() => {
      firstPrompts.resume();
      return finalSummaries.catchUp();
    })
    .catch((error: unknown) => log.error('adoption', { error }));
  const adoptedTerminals = terminals.adopt().catch((error: unknown) => log.error('adoption', { error }));
  // A session that is open in a terminal must not get a host, but an unresponsive terminal host must not block
  // startup.
  await Promise.race([adoptedTerminals, wait(TERMINALS_MS, undefined, { ref: false })]);
  return {
    adopted: Promise.all([adoptedHosts, adoptedTerminals]).then(() => {
      workspaces.resume(['archive', 'land', 'handoff']);
      attempts.resume();
    }),
  };
}
