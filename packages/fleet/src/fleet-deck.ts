/**
 * The deck of a fleet, for as long as its server runs: admits machines with a code, opens links to them, reads copies, and
 * revokes.
 */

import type { Carrier } from '@tugdeck/link/carrier';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { z } from 'zod';
import type { CopySource } from './copy/copy-reader.ts';
import { ensureStream, purge } from './copy/stream.ts';
import { Engine } from './engine.ts';
import { CONNECTION, dialMachine } from './fleet-carrier.ts';
import { type DeckKeys, deckKeys } from './fleet-files.ts';
import { admitMachine, type Member } from './joining.ts';
import { publicKey, userToken } from './nats-tokens.ts';
import { fleetAccount } from './server-config.ts';
import { SubjectStream } from './subject-stream.ts';
import { DECK, deckPermissions, inboxOf, SUBJECTS } from './subjects.ts';

export interface DeckFleet {
  readonly server: string;
  readonly replicas?: number | undefined;
  readonly machines?: Readonly<Record<string, Member>> | undefined;
  /** Users that are no longer valid, with the time in seconds. */
  readonly revoked?: Readonly<Record<string, number>> | undefined;
}

export interface FleetDeckOptions {
  readonly data: DataDirectory;
  readonly fleet: DeckFleet;
  readonly log: Log;
  /** The log of links (N25). */
  readonly audit: Pick<Log, 'info'>;
  readonly now: () => number;
  /** Stores a new machine. */
  readonly admit: (name: string, member: Member) => void;
  /** A machine is connected to the server. */
  readonly here: (name: string) => void;
}

const STREAM_MS = 15_000;
/** After failures: a server that was just started may not be ready. */
const STREAM_RETRY_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000];
const REVOKE_MS = 10_000;
/** Machines that join at the same time. */
const MAX_JOINS = 16;
const JOIN_DIAL = /^tug\.join\.([0-9a-f]{16})\.dial$/;

const hereSchema = z.object({
  purged: z
    .string()
    .regex(/^[0-9a-zA-Z-]{1,64}$/)
    .optional(),
});

export class FleetDeck {
  readonly #options: FleetDeckOptions;
  readonly #keys: DeckKeys;
  readonly #engine: Engine;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  readonly #carriers = new Map<Carrier, { readonly name: string; readonly member: Member }>();
  #fleet: DeckFleet;
  #joins = 0;

  constructor(options: FleetDeckOptions) {
    this.#options = options;
    this.#fleet = options.fleet;
    this.#keys = deckKeys(options.data);
    const { seeds, user, authority } = this.#keys;
    const token = userToken(seeds.account, {
      ...{ user: publicKey(user), name: DECK, permissions: deckPermissions() },
    });
    const engine = new Engine({
      ...{ server: options.fleet.server, authority, token, seed: user },
      ...{ inbox: inboxOf(DECK), name: DECK, log: options.log },
    });
    this.#engine = engine;
    engine.subscribe('tug.here.*', ({ subject, data }) =>
      this.#here(subject.slice('tug.here.'.length), data),
    );
    engine.subscribe('tug.join.*.dial', (message) => {
      const code = JOIN_DIAL.exec(message.subject)?.[1];
      const connection = message.data.toString();
      if (code === undefined || !CONNECTION.test(connection) || this.#joins >= MAX_JOINS) return;
      this.#join(code, connection);
      message.reply(Buffer.alloc(0));
    });
    engine.onChange((isConnected) => {
      if (isConnected) void this.#connected();
    });
    this.#timer = setInterval(() => void this.#ensureStream(), STREAM_MS);
    this.#timer.unref();
  }

  get engine(): Engine {
    return this.#engine;
  }

  /** Applies a change of the configuration; a machine that is no longer in it is refused by the server too. */
  configure(fleet: DeckFleet): void {
    const before = JSON.stringify(this.#fleet.revoked ?? {});
    this.#fleet = fleet;
    for (const [carrier, { name, member }] of this.#carriers)
      if (fleet.machines?.[name]?.certificate !== member.certificate) carrier.close();
    if (JSON.stringify(fleet.revoked ?? {}) !== before) void this.#revoke();
  }

  carrier(name: string): Carrier {
    const member = this.#member(name);
    const carrier = dialMachine(this.#engine, member, this.#keys.tls);
    this.#carriers.set(carrier, { name, member });
    void carrier.ended.then(() => this.#carriers.delete(carrier));
    return carrier;
  }

  /** Undefined if it is not a machine of the fleet. */
  copies(name: string): CopySource | undefined {
    const member = this.#fleet.machines?.[name];
    if (!member) return undefined;
    return { engine: this.#engine, key: Buffer.from(this.#keys.copyKey, 'base64'), member: member.id };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#engine.close();
    clearTimeout(this.#retry);
  }

  #member(name: string): Member {
    const member = this.#fleet.machines?.[name];
    if (!member) throw new Error(`${name} is not a machine of the fleet`);
    return member;
  }

  #here(id: string, data: Buffer): void {
    const [name] = Object.entries(this.#fleet.machines ?? {}).find(([, member]) => member.id === id) ?? [];
    if (name === undefined) return;
    this.#options.here(name);
    const { data: about } = hereSchema.safeParse(jsonOf(data));
    if (about?.purged === undefined) return;
    purge(this.#engine, SUBJECTS.session(id, about.purged)).catch((error: unknown) =>
      this.#options.log.info('copy not deleted', { error }),
    );
  }

  #join(code: string, connection: string): void {
    const { data, log, audit, now, admit } = this.#options;
    this.#joins++;
    const under = new SubjectStream((message) =>
      this.#engine.publish(SUBJECTS.joinDown(code, connection), message),
    );
    const end = this.#engine.subscribe(SUBJECTS.joinUp(code, connection), (message) =>
      under.receive(message.data),
    );
    under.once('close', () => {
      this.#joins--;
      end();
    });
    admitMachine(under, code, { data, keys: this.#keys, now, admit }).then(
      (name) => audit.info('joined', { machine: name }),
      (error: unknown) => {
        log.info('machine not admitted', { error });
        audit.info('join refused', { code });
      },
    );
  }

  async #connected(): Promise<void> {
    await this.#ensureStream();
    if (Object.keys(this.#fleet.revoked ?? {}).length > 0) await this.#revoke();
  }

  async #ensureStream(): Promise<void> {
    clearTimeout(this.#retry);
    if (!this.#engine.isConnected) return;
    try {
      await ensureStream(this.#engine, this.#fleet.replicas ?? 1);
      this.#failures = 0;
    } catch (error) {
      this.#options.log.warn('stream of the fleet', { error });
      const delay = STREAM_RETRY_MS[this.#failures++] ?? STREAM_MS;
      this.#retry = setTimeout(() => void this.#ensureStream(), delay);
      this.#retry.unref();
    }
  }

  /** Tells the server which users it must not accept, and to disconnect them. */
  async #revoke(): Promise<void> {
    const { log } = this.#options;
    const { seeds, systemUser, authority } = this.#keys;
    const { server, revoked } = this.#fleet;
    const permissions = { publish: ['$SYS.REQ.CLAIMS.UPDATE'], subscribe: [`${inboxOf(DECK)}.>`] };
    const token = userToken(seeds.system, { user: publicKey(systemUser), name: DECK, permissions });
    const engine = new Engine({
      server,
      authority,
      token,
      seed: systemUser,
      inbox: inboxOf(DECK),
      name: DECK,
      log,
    });
    try {
      if (!(await engine.whenConnected(REVOKE_MS))) return; // Done with the next connection.
      await engine.request('$SYS.REQ.CLAIMS.UPDATE', fleetAccount(seeds, revoked));
    } catch (error) {
      log.warn('not revoked at the server', { error });
    } finally {
      await engine.close();
    }
  }
}

function jsonOf(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
