/** A fleet on a real nats-server: its folder, its deck and its machines, each with its own data directory. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '@tugdeck/fleet/certificates';
import { createCopyKey, decrypt, machineCopyKey, sessionCopyKey } from '@tugdeck/fleet/copy/copy-cipher';
import { type CopySource, readJournal } from '@tugdeck/fleet/copy/copy-reader';
import { decodePiece } from '@tugdeck/fleet/copy/piece';
import { ensureStream, nextMessage } from '@tugdeck/fleet/copy/stream';
import { Engine } from '@tugdeck/fleet/engine';
import { type DeckFleet, FleetDeck } from '@tugdeck/fleet/fleet-deck';
import { deckKeys, machineKeys, writeFleetKeys } from '@tugdeck/fleet/fleet-files';
import { FleetMachine } from '@tugdeck/fleet/fleet-machine';
import { createCode, parseCode } from '@tugdeck/fleet/join-code';
import { joinFleet, type Member } from '@tugdeck/fleet/joining';
import { createSeed, publicKey, userToken } from '@tugdeck/fleet/nats-tokens';
import { serverConfiguration } from '@tugdeck/fleet/server-config';
import { SUBJECTS } from '@tugdeck/fleet/subjects';
import { serveLink } from '@tugdeck/link/serve-link';
import { type DataDirectory, dataDirectory } from '@tugdeck/local/data-directory';
import { FakeMachine, quietLog } from './fake-machine.ts';
import { freePort } from './free-port.ts';
import { type NatsServer, startNatsCluster, startNatsServer } from './nats-server.ts';
import { waitFor } from './process-facts.ts';

export interface TestMachine {
  readonly name: string;
  readonly data: DataDirectory;
  readonly fake: FakeMachine;
  readonly member: () => Member;
  /** Its server's part in the fleet. */
  open(): FleetMachine;
}

export class TestFleet {
  readonly root = mkdtempSync(join(tmpdir(), 'tugdeck-fleet-'));
  readonly folder = join(this.root, 'nats');
  readonly data = dataDirectory(join(this.root, 'deck'));
  readonly servers: NatsServer[] = [];
  readonly heard: string[] = [];
  readonly audited: Record<string, unknown>[] = [];
  #settings: DeckFleet = { server: '' };
  #deck: FleetDeck | undefined;
  readonly #opened: { close(): Promise<void> }[] = [];

  static async start({
    replicas = 1,
    port: fixed,
  }: {
    replicas?: number;
    port?: number;
  } = {}): Promise<TestFleet> {
    const fleet = new TestFleet();
    const ports = [fixed ?? (await freePort())];
    while (ports.length < replicas) ports.push(await freePort());
    const seeds = {
      operator: createSeed('operator'),
      account: createSeed('account'),
      system: createSeed('account'),
    };
    const certificate = createCertificate(['127.0.0.1']);
    mkdirSync(fleet.folder);
    writeFileSync(join(fleet.folder, 'nats.conf'), serverConfiguration(seeds, ports[0] ?? 0));
    writeFileSync(join(fleet.folder, 'server.pem'), certificate.certificate);
    writeFileSync(join(fleet.folder, 'server.key'), certificate.key);
    mkdirSync(fleet.data.root, { recursive: true });
    writeFleetKeys(fleet.data, {
      ...{ role: 'deck', seeds, user: createSeed('user'), systemUser: createSeed('user') },
      ...{ tls: createCertificate(), authority: certificate.certificate },
      copyKey: createCopyKey().toString('base64'),
    });
    const server = ports.map((port) => `tls://127.0.0.1:${port}`).join(',');
    fleet.#settings = { server, ...(replicas > 1 ? { replicas } : {}) };
    const started =
      replicas === 1
        ? [await startNatsServer(fleet.folder, ports[0] ?? 0)]
        : await startNatsCluster(fleet.folder, ports);
    fleet.servers.push(...started);
    return fleet;
  }

  get settings(): DeckFleet {
    return this.#settings;
  }

  get server(): NatsServer {
    return this.servers[0] as NatsServer;
  }

  get deck(): FleetDeck {
    this.#deck ??= this.keep(
      new FleetDeck({
        ...{ data: this.data, fleet: this.#settings, log: quietLog, now: Date.now },
        audit: { info: (message, fields) => void this.audited.push({ message, ...fields }) },
        admit: (name, member) => this.configure({ machines: { ...this.#settings.machines, [name]: member } }),
        here: (name) => void this.heard.push(name),
      }),
    );
    return this.#deck;
  }

  configure(change: Partial<DeckFleet>): void {
    this.#settings = { ...this.#settings, ...change };
    this.#deck?.configure(this.#settings);
  }

  async online(engine: { readonly isConnected: boolean } = this.deck.engine): Promise<void> {
    await waitFor(() => engine.isConnected, { what: 'the connection to nats-server' });
  }

  /** Also creates the stream. */
  async deckOnline(): Promise<FleetDeck> {
    await this.online();
    await waitFor(
      () =>
        ensureStream(this.deck.engine, this.#settings.replicas ?? 1).then(
          () => true,
          () => false,
        ),
      {
        what: 'the stream',
      },
    );
    return this.deck;
  }

  code(name: string, now = Date.now()): string {
    return createCode(this.data, deckKeys(this.data), { server: this.#settings.server, name, now });
  }

  async join(name: string): Promise<TestMachine> {
    await this.deckOnline();
    const data = dataDirectory(join(this.root, name));
    mkdirSync(data.root, { recursive: true });
    writeFleetKeys(data, await joinFleet(parseCode(this.code(name)), quietLog));
    return this.machine(name);
  }

  /** Of a machine that has joined. */
  machine(name: string): TestMachine {
    const data = dataDirectory(join(this.root, name));
    const fake = new FakeMachine();
    const serve = { machine: fake, build: name, environment: {}, log: quietLog };
    return {
      ...{ name, data, fake },
      member: () => this.#settings.machines?.[name] as Member,
      open: () =>
        this.keep(
          new FleetMachine({
            ...{ data, machine: fake, log: quietLog, server: this.#settings.server },
            serve: (stream) => void serveLink(stream, stream, serve),
          }),
        ),
    };
  }

  /** Somebody with all rights in the fleet's account. */
  async intruder(): Promise<Engine> {
    const { seeds, authority } = deckKeys(this.data);
    const seed = createSeed('user');
    const permissions = { publish: ['>'], subscribe: ['>'] };
    const token = userToken(seeds.account, { user: publicKey(seed), name: 'intruder', permissions });
    const engine = this.keep(
      new Engine({
        ...{ server: this.#settings.server, authority, token, seed },
        ...{ inbox: '_INBOX_intruder', name: 'intruder', log: quietLog },
      }),
    );
    await this.online(engine);
    return engine;
  }

  machineKeys(name: string) {
    return machineKeys(dataDirectory(join(this.root, name)));
  }

  keep<T extends { close(): Promise<void> }>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((one) => one.close()));
    await Promise.all(this.servers.map((server) => server.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The segments of a journal, by name. */
export function segmentsOf(journal: string): (readonly [name: string, text: string])[] {
  return readdirSync(journal)
    .filter((name) => /^\d+\.jsonl$/.test(name))
    .sort()
    .map((name) => [name, readFileSync(join(journal, name), 'utf8')]);
}

/** Reads the copy into a folder of its session. */
export async function readBack(fleet: TestFleet, name: string, session: string) {
  const directory = dataDirectory(join(fleet.root, 'back', randomUUID())).session(session);
  const bytes = await readJournal(fleet.deck.copies(name) as CopySource, session, directory);
  return { bytes, directory };
}

export async function equalsJournal(
  fleet: TestFleet,
  { name, data }: TestMachine,
  session: string,
): Promise<boolean> {
  const back = await readBack(fleet, name, session).catch(() => undefined);
  if (back?.bytes === undefined) return false;
  const [copy, journal] = [back.directory.journal, data.session(session).journal].map(segmentsOf);
  rmSync(back.directory.root, { recursive: true });
  return JSON.stringify(copy) === JSON.stringify(journal);
}

/** Bytes of all messages of a copy, also of repeated ones, which readers ignore. */
export async function storedBytes(fleet: TestFleet, name: string, session: string): Promise<number> {
  const { engine, key, member } = fleet.deck.copies(name) as CopySource;
  const subject = SUBJECTS.journal(member, session);
  const sessionKey = sessionCopyKey(machineCopyKey(key, member), session);
  let bytes = 0;
  for (let next = 1; ; ) {
    const message = await nextMessage(engine, subject, next);
    if (!message) return bytes;
    bytes += decodePiece(decrypt(sessionKey, subject, message.data)).bytes.length;
    next = message.sequence + 1;
  }
}
