/** This program's part in a fleet: the deck, with links to its machines, or a machine. Loaded only when configured (N15). */

import type { Duplex } from 'node:stream';
import { emptyCopies, openCopyChannel } from '@tugdeck/fleet/copy/copy-channel';
import { readCopiedBlob } from '@tugdeck/fleet/copy/copy-reader';
import { FleetDeck } from '@tugdeck/fleet/fleet-deck';
import { FleetMachine } from '@tugdeck/fleet/fleet-machine';
import type { Carrier } from '@tugdeck/link/carrier';
import type { LinkedMachine } from '@tugdeck/link/linked-machine';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { FleetSettings } from '@tugdeck/machine/configuration';
import type { LocalMachine } from '@tugdeck/machine/machine';
import type { PageChannel } from '@tugdeck/machine/port';

export interface FleetOptions {
  readonly machine: Pick<LocalMachine, 'openDeck' | 'configure'>;
  readonly data: DataDirectory;
  readonly serve: (stream: Duplex) => void;
  readonly log: Log;
  readonly audit: Pick<Log, 'info'>;
  readonly now: () => number;
  /** A machine is connected to the fleet's server: its link is tried now. */
  readonly here: (name: string) => void;
}

export interface FleetSpec {
  readonly name: string;
  /** How it is reached; another way is another link. */
  readonly route: string;
  readonly startCarrier: () => Carrier;
}

export class Fleet {
  readonly #options: FleetOptions;
  #deck: FleetDeck | undefined;
  #machine: FleetMachine | undefined;
  /** Role and server. */
  #applied = '';

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async apply(settings: FleetSettings | undefined): Promise<FleetSpec[]> {
    const identity = settings ? `${settings.role} ${settings.server}` : '';
    if (identity !== this.#applied) {
      await this.close();
      if (settings) await this.#open(settings);
      this.#applied = identity;
    }
    if (settings?.role !== 'deck') return [];
    const deck = this.#deck;
    deck?.configure(settings);
    return Object.entries(settings.machines ?? {}).map(([name, member]) => ({
      ...{ name, route: JSON.stringify(member) },
      startCarrier: () => this.#deckOrThrow().carrier(name),
    }));
  }

  /** A session of a machine that is not online, from its copy; undefined if it is not a machine of the fleet. */
  openCopy(
    remote: Pick<LinkedMachine, 'name' | 'state' | 'whenOnline'>,
    session: string,
    send: (messages: readonly string[]) => void,
  ): PageChannel | undefined {
    const source = this.#deck?.copies(remote.name);
    const { data, log } = this.#options;
    if (!source) return undefined;
    const isConnecting = remote.state.state === 'connecting';
    return openCopyChannel({
      ...{ source, session, data, log, send, isConnecting },
      whenBack: remote.whenOnline(),
    });
  }

  async readCopiedBlob(name: string, session: string, hash: string): Promise<Buffer | undefined> {
    const source = this.#deck?.copies(name);
    return source && readCopiedBlob(source, session, hash);
  }

  async close(): Promise<void> {
    const open = [this.#deck, this.#machine];
    this.#deck = undefined;
    this.#machine = undefined;
    await Promise.all(open.map((one) => one?.close()));
  }

  #deckOrThrow(): FleetDeck {
    if (!this.#deck) throw new Error('no deck');
    return this.#deck;
  }

  async #open(settings: FleetSettings): Promise<void> {
    const { machine, data, serve, log, audit, now, here } = this.#options;
    if (settings.role === 'machine') {
      this.#machine = new FleetMachine({ data, machine, serve, log, server: settings.server });
      return;
    }
    await emptyCopies(data);
    const admit = (name: string, member: unknown) => machine.configure(['fleet', 'machines', name], member);
    this.#deck = new FleetDeck({ data, log, audit, now, here, admit, fleet: settings });
  }
}
