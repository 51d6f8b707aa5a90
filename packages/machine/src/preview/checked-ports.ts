/** Which web servers of this machine a project's preview may reach (W7): checks the process that listens on a port, and connects to it. */
import { connect as connectTo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Ledger } from '@tugdeck/local/ledger';
import { type Listener, listenerOn, ownListeners } from '@tugdeck/local/listening-ports';
import type { PortHolder } from '@tugdeck/protocol/areas/preview';
import { type LocalAddress, readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { PreviewAccess } from '../preview-access.ts';
import type { Projects } from '../projects/projects.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { holderOf } from './port-holders.ts';

export interface PreviewOptions {
  readonly projects: Pick<Projects, 'place'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly ledger: Pick<Ledger, 'read'>;
}

export interface HeldListener {
  readonly listener: Listener;
  readonly holder: PortHolder;
}

const CONNECT_MS = 5_000;

/** The ports as a project sees them. */
export class CheckedPorts {
  readonly #options: PreviewOptions;
  readonly #access: Pick<PreviewAccess, 'ownPorts'>;
  readonly #project: string;

  constructor(options: PreviewOptions, access: Pick<PreviewAccess, 'ownPorts'>, project: string) {
    this.#options = options;
    this.#access = access;
    this.#project = project;
  }

  read(text: string): LocalAddress {
    const address = readLocalAddress(text);
    if (!address) {
      throw new CodedError(
        'INVALID_MESSAGE',
        'Preview shows web servers on this machine only.',
        'Enter an address like localhost:5173.',
      );
    }
    if (this.#access.ownPorts().includes(address.port))
      throw new CodedError('INVALID_MESSAGE', `Port ${address.port} is Tugdeck’s own.`);
    return address;
  }

  async find(address: LocalAddress): Promise<HeldListener> {
    const listener = await listenerOn(address.host, address.port);
    if (!listener) throw notListening(address.port);
    return { listener, holder: this.#holder(listener) };
  }

  /** Ports on which processes of the project listen. */
  async list(): Promise<{ port: number; name: string }[]> {
    const own = this.#access.ownPorts();
    const found = new Map<number, string>();
    for (const listener of await ownListeners()) {
      const { isOwn, name = '' } = this.#holder(listener);
      if (isOwn && !own.includes(listener.port)) found.set(listener.port, name);
    }
    return [...found].map(([port, name]) => ({ port, name })).sort((a, b) => a.port - b.port);
  }

  #holder(listener: Listener): PortHolder {
    const { projects, sessions, ledger } = this.#options;
    return holderOf(listener, {
      directory: projects.place(this.#project).directory,
      ledger,
      isOfPlace: (session) => {
        const row = sessions.find(session);
        return row !== undefined && (row.workspace ?? row.project) === this.#project;
      },
    });
  }
}

/** `accepted`: the key of a holder that the user has seen. */
export function mayShow({ isOwn, key }: PortHolder, accepted: string | undefined): boolean {
  return isOwn || key === accepted;
}

export function connectLocal({ address, port }: Listener): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectTo({ host: address, port, noDelay: true, timeout: CONNECT_MS });
    const failed = () => {
      socket.destroy();
      reject(notListening(port));
    };
    socket.once('error', failed).once('timeout', failed);
    socket.once('connect', () => {
      socket.setTimeout(0).off('error', failed).off('timeout', failed);
      resolve(socket);
    });
  });
}

function notListening(port: number): CodedError {
  return new CodedError('NOT_FOUND', `Nothing is listening on port ${port}.`, 'Start the server again.');
}
