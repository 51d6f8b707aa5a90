/**
 * Serves the preview area (W7): checks which process listens on a port, connects to it, and lets the gateway's proxy show
 * it. Connects to loopback only, and checks the process before each connection.
 */
import { connect as connectTo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Ledger } from '@tugdeck/local/ledger';
import { isStillListening, type Listener, listenerOn, ownListeners } from '@tugdeck/local/listening-ports';
import type { AboutOf, EventOf } from '@tugdeck/protocol/areas/area';
import { type PortHolder, preview } from '@tugdeck/protocol/areas/preview';
import { type LocalAddress, originOf, readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type AreaOut, type AreaSession, type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { OpenPreview, PreviewAccess } from '../preview-access.ts';
import type { Projects } from '../projects/projects.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { holderOf } from './port-holders.ts';
import { findBrowser, takeScreenshot } from './screenshot.ts';

export interface PreviewOptions {
  readonly projects: Pick<Projects, 'place'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly ledger: Pick<Ledger, 'read'>;
}

type PreviewArea = typeof preview;

/** A known listener is checked again after this. */
const RECHECK_MS = 1_000;
const CONNECT_MS = 5_000;

export function servePreviews(options: PreviewOptions, access: PreviewAccess): ServedArea {
  return serveArea(preview, (about, out) => {
    options.projects.place(about.project);
    return new PreviewSession(options, access, about, out);
  });
}

class PreviewSession implements AreaSession<PreviewArea> {
  readonly #options: PreviewOptions;
  readonly #access: PreviewAccess;
  readonly #project: string;
  readonly #out: AreaOut<PreviewArea>;
  /** By port. */
  readonly #open = new Map<number, OpenPreview>();
  #isClosed = false;

  constructor(
    options: PreviewOptions,
    access: PreviewAccess,
    { project }: AboutOf<PreviewArea>,
    out: AreaOut<PreviewArea>,
  ) {
    this.#options = options;
    this.#access = access;
    this.#project = project;
    this.#out = out;
    out.state({ isOffered: access.isOffered(), hasBrowser: findBrowser(this.#environment()) !== undefined });
  }

  readonly calls: AreaSession<PreviewArea>['calls'] = {
    ports: async () => ({ ports: await this.#ports() }),
    open: async ({ address: text, accepted }) => {
      const address = this.#read(text);
      const { port } = address;
      const held = await this.#find(address);
      if (!mayShow(held.holder, accepted)) return { type: 'held', port, holder: held.holder };
      const { signIn } = this.#out;
      if (!this.#access.isOffered() || signIn === undefined) throw notOffered();
      if (this.#isClosed) throw new CodedError('CHANNEL_NOT_OPEN');
      this.#open.get(port)?.end();
      const opened = this.#access.open({
        signIn,
        name: `${this.#project} ${address.host} ${port}`,
        origin: originOf(address),
        path: address.path,
        connect: this.#connector(address, accepted, held.listener),
        redirected: (to) => this.#emit({ type: 'redirected', port, address: to }),
      });
      this.#open.set(port, opened);
      return { type: 'open', url: opened.url, origin: opened.origin };
    },
    end: ({ port }) => {
      this.#open.get(port)?.end();
      this.#open.delete(port);
    },
    screenshot: async ({ address: text, accepted, width, height }) => {
      const address = this.#read(text);
      const { holder } = await this.#find(address);
      if (!mayShow(holder, accepted))
        throw new CodedError('NOT_CONFIRMED', 'Another process now holds this port. Reload the preview.');
      const png = await takeScreenshot(this.#environment(), originOf(address) + address.path, {
        width,
        height,
      });
      return { png: png.toString('base64') };
    },
  };

  close(): void {
    this.#isClosed = true;
    for (const opened of this.#open.values()) opened.end();
    this.#open.clear();
  }

  #emit(event: EventOf<PreviewArea>): void {
    this.#out.emit(event);
  }

  #environment(): Readonly<Record<string, string>> {
    return this.#options.projects.place(this.#project).environment;
  }

  #read(text: string): LocalAddress {
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

  async #find(address: LocalAddress): Promise<{ listener: Listener; holder: PortHolder }> {
    const listener = await listenerOn(address.host, address.port);
    if (!listener) throw notListening(address.port);
    return { listener, holder: this.#holder(listener) };
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

  /** Connects to the listener that was shown; to another one only if it may be shown too. */
  #connector(address: LocalAddress, accepted: string | undefined, shown: Listener): () => Promise<Duplex> {
    let listener = shown;
    let checkedAt = performance.now();
    return async () => {
      if (performance.now() - checkedAt > RECHECK_MS) {
        if (!(await isStillListening(listener))) {
          const found = await this.#find(address);
          if (!mayShow(found.holder, accepted)) {
            this.#emit({ type: 'held', port: address.port, holder: found.holder });
            throw new CodedError('NOT_CONFIRMED', `Another process now holds port ${address.port}.`);
          }
          listener = found.listener;
        }
        checkedAt = performance.now();
      }
      return connectLocal(listener);
    };
  }

  async #ports(): Promise<{ port: number; name: string }[]> {
    const own = this.#access.ownPorts();
    const found = new Map<number, string>();
    for (const listener of await ownListeners()) {
      const { isOwn, name = '' } = this.#holder(listener);
      if (isOwn && !own.includes(listener.port)) found.set(listener.port, name);
    }
    return [...found].map(([port, name]) => ({ port, name })).sort((a, b) => a.port - b.port);
  }
}

function mayShow({ isOwn, key }: PortHolder, accepted: string | undefined): boolean {
  return isOwn || key === accepted;
}

function connectLocal({ address, port }: Listener): Promise<Duplex> {
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

function notOffered(): CodedError {
  return new CodedError(
    'EXPOSURE_REFUSED',
    'Preview works only in a browser on this machine.',
    'Open the address in a browser tab instead.',
  );
}
