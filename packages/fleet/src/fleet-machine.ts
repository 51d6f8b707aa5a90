/** A machine of a fleet, for as long as its server runs: shows that it is there, serves links of the deck, copies journals. */
import type { Duplex } from 'node:stream';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Machine } from '@tugdeck/machine/port';
import { Publisher } from './copy/publisher.ts';
import { Engine } from './engine.ts';
import { type ServedCarriers, serveCarriers } from './fleet-carrier.ts';
import { machineKeys } from './fleet-files.ts';
import { inboxOf, SUBJECTS } from './subjects.ts';

export interface FleetMachineOptions {
  readonly data: DataDirectory;
  readonly server: string;
  readonly machine: Pick<Machine, 'openDeck'>;
  /** Serves a link of the deck. */
  readonly serve: (stream: Duplex) => void;
  readonly log: Log;
}

const HERE_MS = 5_000;
/** At its end, a machine copies its last lines for at most this long. */
const FLUSH_MS = 9_000;

export class FleetMachine {
  readonly #engine: Engine;
  readonly #carriers: ServedCarriers;
  readonly #publisher: Publisher;
  readonly #timer: NodeJS.Timeout;

  constructor({ data, server, machine, serve, log }: FleetMachineOptions) {
    const { id, name, user, token, tls, deck, authority, copyKey } = machineKeys(data);
    const engine = new Engine({ server, authority, token, seed: user, inbox: inboxOf(id), name, log });
    this.#engine = engine;
    const here = (about: unknown = {}) =>
      engine.publish(SUBJECTS.here(id), Buffer.from(JSON.stringify(about)));
    this.#carriers = serveCarriers(engine, { id, own: tls, deck }, serve);
    this.#publisher = new Publisher({
      ...{ engine, data, machine, log, member: id, key: Buffer.from(copyKey, 'base64') },
      purged: (session) => here({ purged: session }),
    });
    engine.onChange((isConnected) => {
      if (isConnected) here();
    });
    this.#timer = setInterval(() => here(), HERE_MS);
    this.#timer.unref();
  }

  get engine(): Pick<Engine, 'isConnected' | 'fault' | 'server'> {
    return this.#engine;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#carriers.close();
    await this.#publisher.close(FLUSH_MS);
    await this.#engine.close();
  }
}
