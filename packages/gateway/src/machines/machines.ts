/**
 * The machines whose projects pages use: this one, and those of `config.json` over links (N20). Sends each request to
 * the machine that owns its project, workspace or session. Without other machines it only forwards, and loads nothing.
 */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { LinkedMachine } from '@tugdeck/link/linked-machine';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Configuration } from '@tugdeck/machine/configuration';
import type { LocalMachine } from '@tugdeck/machine/machine';
import {
  type AreaChannel,
  type AreaOutput,
  type BrowsedFolder,
  type Channel,
  type DeckPush,
  type Machine,
  type MachineFiles,
  type MachineRequest,
  type PageChannel,
  refusedChannel,
} from '@tugdeck/machine/port';
import type { PreviewAccess } from '@tugdeck/machine/preview-access';
import type { MachineRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Fleet, FleetSpec } from './fleet.ts';
import { openLinkedPreview } from './linked-preview.ts';
import { LocalIds } from './local-ids.ts';
import { MergedDeck, type RemoteChange } from './merged-deck.ts';
import { type Place, placesOf } from './places.ts';
import { searchEverywhere } from './search-everywhere.ts';

export interface MachinesOptions {
  readonly machine: LocalMachine;
  readonly data: DataDirectory;
  /** For the programs that carry links. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  /** The log of links (N25). */
  readonly audit: Pick<Log, 'info'>;
  /** Serves this machine to the deck of its fleet. */
  readonly serve: (stream: Duplex) => void;
  readonly now: () => number;
}

/** Links start one after another, so that many machines do not block the event loop. */
const START_GAP_MS = 30;
/** How long `tugdeck NAME:PATH` waits for the machine, and then for its new row. */
const OPEN_MS = 60_000;
const ROW_MS = 5_000;

export class Machines {
  readonly #options: MachinesOptions;
  readonly #remotes = new Map<string, LinkedMachine>();
  /** How each machine is reached; another way is another link. */
  readonly #routes = new Map<string, string>();
  #fleet: Fleet | undefined;
  readonly #listeners = new Set<(change: RemoteChange) => void>();
  #localIds: LocalIds | undefined;
  #changes: Promise<void> = Promise.resolve();
  #previews: PreviewAccess | undefined;
  #isClosed = false;

  readonly files: MachineFiles = {
    find: async (project, query) => this.#portOf(project).files.find(project, query),
    readText: async (project, path, known) => this.#portOf(project).files.readText(project, path, known),
    save: async (project, path, bytes, expected) =>
      this.#portOf(project).files.save(project, path, bytes, expected),
    openRaw: async (project, path, limit) => this.#portOf(project).files.openRaw(project, path, limit),
    receive: async (project, path, upload) => this.#portOf(project).files.receive(project, path, upload),
  };

  constructor(options: MachinesOptions) {
    this.#options = options;
  }

  /** Applies the machines of the configuration: new ones are linked, removed ones closed at once. */
  configure({ machines = {}, fleet }: Pick<Configuration, 'machines' | 'fleet'>): void {
    if (this.#remotes.size === 0 && Object.keys(machines).length === 0 && !fleet && !this.#fleet) return;
    this.#changes = this.#changes
      .then(() => this.#apply(machines, fleet))
      .catch((error: unknown) => this.#options.log.error('machines', { error }));
  }

  /** Lets this gateway's proxy show web servers of other machines. */
  showPreviews(access: PreviewAccess): void {
    this.#previews = access;
  }

  /** Other machines, in the order of the configuration. */
  list(): LinkedMachine[] {
    return [...this.#remotes.values()];
  }

  rows(): MachineRow[] {
    return this.list().map(({ name, state: { state, seenAt, fault }, rows: { head } }) => ({
      id: name,
      state,
      ...(seenAt === undefined ? {} : { seenAt }),
      ...(fault === undefined ? {} : { fault: fault.slice(0, 10_000) }),
      agents: head.agents,
      defaultAgent: head.defaultAgent,
      ...(head.limits ? { limits: head.limits } : {}),
    }));
  }

  subscribe(listener: (change: RemoteChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  openDeck(send: (push: DeckPush) => void): Channel {
    return new MergedDeck(this.#options.machine, this, send);
  }

  openChannel(session: string, send: (messages: readonly string[]) => void): PageChannel {
    const remote = this.#remoteOf(session);
    if (remote && !remote.isOnline) {
      const copy = this.#fleet?.openCopy(remote, session, send);
      if (copy) return copy;
    }
    return (remote ?? this.#options.machine).openChannel(session, send);
  }

  openArea(name: string, about: unknown, out: AreaOutput): AreaChannel {
    const { machine } = this.#options;
    if (this.#remotes.size === 0) return machine.openArea(name, about, out);
    const { machine: named, ...rest } = about as Record<string, unknown>;
    if (typeof named === 'string' && named !== machine.id) {
      const remote = this.#remotes.get(named);
      return remote?.openArea(name, rest, out) ?? refusedChannel(unknownMachine(named));
    }
    const subject = [rest.project, rest.session].find((id) => typeof id === 'string') as string | undefined;
    const owner = this.#remoteOf(subject) ?? machine;
    if (name === 'preview' && owner !== machine && this.#previews)
      return openLinkedPreview(owner, rest, out, this.#previews);
    const area = owner.openArea(name, rest, out);
    return name === 'search' && owner === machine
      ? searchEverywhere(area, this.list(), (project) => this.#remoteOf(project))
      : area;
  }

  async perform(request: MachineRequest): Promise<void> {
    if (request.type === 'project.add') {
      const { machine: named, ...rest } = request;
      return this.#named(named).perform(rest);
    }
    const subject = subjectOf(request);
    const remote = this.#remoteOf(subject);
    if (!remote) return this.#options.machine.perform(request);
    // The page may open what it creates before the rows arrive.
    const { type } = request;
    if (type === 'session.create' || type === 'session.fork') remote.rows.created(request.session);
    if ('workspace' in request && request.workspace) remote.rows.created(request.workspace.id);
    return remote.port.perform(request);
  }

  /** Known from the copy, so that drafts are kept while a machine is offline. */
  async isStored(session: string): Promise<boolean> {
    const remote = this.#remoteOf(session);
    if (!remote) return this.#options.machine.isStored(session);
    return remote.rows.row(session)?.origin !== 'foreign';
  }

  async readBlob(session: string, hash: string): Promise<Buffer | undefined> {
    const remote = this.#remoteOf(session);
    if (remote && !remote.isOnline) {
      const copied = await this.#fleet?.readCopiedBlob(remote.name, session, hash);
      if (copied) return copied;
    }
    return this.#portOf(session).readBlob(session, hash);
  }

  async storeBlob(session: string, text: string): ReturnType<Machine['storeBlob']> {
    return this.#portOf(session).storeBlob(session, text);
  }

  async describeConfig(project: string, agent: string): ReturnType<Machine['describeConfig']> {
    return this.#portOf(project).describeConfig(project, agent);
  }

  async browse(path: string, machine?: string): Promise<BrowsedFolder> {
    return this.#named(machine).browse(path);
  }

  /** The machines that are online and have the project, the one with most free memory first (N17). */
  places(project: string): Promise<Place[]> {
    const remotes = this.list();
    const { machine } = this.#options;
    return placesOf(project, [
      { port: machine, owns: (id) => this.#remoteOf(id) === undefined },
      ...remotes.map((remote) => ({
        name: remote.name,
        port: remote.state.state === 'online' ? remote.port : undefined,
        owns: (id: string) => this.#remoteOf(id) === remote,
      })),
    ]);
  }

  /** `tugdeck NAME:PATH`: opens a project there, as soon as the machine is reached, and shows it on all pages. */
  async openProject(name: string, path: string, trust: boolean): Promise<string> {
    await this.#changes;
    const remote = this.#remotes.get(name);
    if (!remote) throw unknownMachine(name);
    remote.retry();
    await Promise.race([remote.whenOnline(), wait(OPEN_MS, undefined, { ref: false })]);
    const project = await remote.port.openProject(path, {}, { trust });
    const deadline = performance.now() + ROW_MS;
    while (!remote.rows.owns(project) && performance.now() < deadline) await wait(10);
    this.#emit({ type: 'show', project });
    return project;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes;
    this.#localIds?.close();
    await this.#fleet?.close();
    await Promise.all(this.list().map((remote) => remote.close()));
    this.#listeners.clear();
  }

  async #apply(
    machines: NonNullable<Configuration['machines']>,
    fleet: Configuration['fleet'],
  ): Promise<void> {
    if (this.#isClosed) return;
    const { machine, data, environment, log, audit, now } = this.#options;
    const members = await this.#applyFleet(fleet);
    const { LinkedMachine: Linked } = await import('@tugdeck/link/linked-machine');
    const { machineSpecs } = await import('@tugdeck/link/machine-specs');
    this.#localIds ??= new LocalIds(machine);
    const { startCarrier } = await import('@tugdeck/link/carrier');
    const commands = machineSpecs(machines).map(({ name, command }) => ({
      ...{ name, route: JSON.stringify(command) },
      startCarrier: () => startCarrier(command, environment),
    }));
    const specs = [...commands, ...members.filter(({ name }) => !Object.hasOwn(machines, name))];
    const forgotten: Promise<void>[] = [];
    for (const [name, remote] of this.#remotes) {
      const spec = specs.find((one) => one.name === name);
      if (spec && spec.route === this.#routes.get(name)) continue;
      this.#remotes.delete(name);
      log.info('machine removed', { machine: name });
      audit.info('closed', { machine: name });
      const gone = [...remote.rows.all()].map(({ id }) => id);
      const closed = remote.close();
      // With another command it may be the same machine.
      if (!spec) forgotten.push(closed.then(() => remote.rows.forget()));
      this.#emit({ type: 'rows', ids: gone });
    }
    const started = specs.flatMap((spec) => {
      if (this.#remotes.has(spec.name)) return [];
      const remote: LinkedMachine = new Linked({
        ...{ name: spec.name, startCarrier: spec.startCarrier },
        ...{ log, audit, now },
        file: join(data.root, 'machines', `${spec.name}.json`),
        isTaken: (id) => this.#isTaken(id, remote),
        otherName: (id) => this.#otherName(id, remote),
        changed: (change) => this.#emit(change.type === 'rows' ? change : { type: 'head' }),
      });
      this.#remotes.set(spec.name, remote);
      this.#routes.set(spec.name, spec.route);
      return [remote];
    });
    this.#emit({ type: 'head' });
    for (const remote of started) {
      if (this.#isClosed) break;
      await remote.start();
      await wait(START_GAP_MS, undefined, { ref: false });
    }
    // Before the next change, which may add a machine of this name.
    await Promise.all(forgotten);
  }

  /** Loads the code for fleets when one is configured. Returns the machines of its deck. */
  async #applyFleet(settings: Configuration['fleet']): Promise<FleetSpec[]> {
    if (!settings && !this.#fleet) return [];
    const { Fleet: Created } = await import('./fleet.ts');
    const { machine, data, serve, log, audit, now } = this.#options;
    this.#fleet ??= new Created({
      ...{ machine, data, serve, log, audit, now },
      here: (name) => this.#remotes.get(name)?.retry(),
    });
    return this.#fleet.apply(settings).catch((error: unknown) => {
      log.error('fleet', { error });
      return [];
    });
  }

  #emit(change: RemoteChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #isTaken(id: string, by: LinkedMachine): boolean {
    if (this.#localIds?.has(id)) return true;
    return this.list().some((remote) => remote !== by && remote.rows.owns(id));
  }

  #otherName(id: string, by: LinkedMachine): string | undefined {
    if (id === this.#options.machine.id) return 'this one';
    return this.list().find((remote) => remote !== by && remote.machineId === id)?.name;
  }

  #remoteOf(id: string | undefined): LinkedMachine | undefined {
    if (id === undefined || this.#remotes.size === 0 || this.#localIds?.has(id)) return undefined;
    for (const remote of this.#remotes.values()) if (remote.rows.owns(id)) return remote;
    return undefined;
  }

  #portOf(id: string): Machine {
    return this.#remoteOf(id)?.port ?? this.#options.machine;
  }

  #named(name: string | undefined): Machine {
    const { machine } = this.#options;
    if (name === undefined || name === machine.id) return machine;
    const remote = this.#remotes.get(name);
    if (!remote) throw unknownMachine(name);
    return remote.port;
  }
}

function subjectOf(request: Exclude<MachineRequest, { type: 'project.add' }>): string {
  if (request.type === 'session.fork') return request.of;
  return 'project' in request ? request.project : request.session;
}

function unknownMachine(name: string): CodedError {
  return new CodedError(
    'HOST_UNAVAILABLE',
    `${name} is not one of your machines.`,
    'See tugdeck machine list, or add it with tugdeck machine add.',
  );
}
