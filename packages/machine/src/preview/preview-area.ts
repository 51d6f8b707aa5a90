/**
 * Serves the preview area (W7): checks which process listens on a port, connects to it, and lets the gateway's proxy show
 * it. Connects to loopback only, and checks the process before each connection.
 */
import type { Duplex } from 'node:stream';
import { isStillListening, type Listener } from '@tugdeck/local/listening-ports';
import type { AboutOf, EventOf } from '@tugdeck/protocol/areas/area';
import { preview } from '@tugdeck/protocol/areas/preview';
import { type LocalAddress, originOf } from '@tugdeck/protocol/preview/local-address';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type AreaOut, type AreaSession, type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { OpenPreview, PreviewAccess } from '../preview-access.ts';
import { CheckedPorts, connectLocal, mayShow, type PreviewOptions } from './checked-ports.ts';
import { findBrowser, takeScreenshot } from './screenshot.ts';

type PreviewArea = typeof preview;

/** A known listener is checked again after this. */
const RECHECK_MS = 1_000;

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
  readonly #ports: CheckedPorts;
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
    this.#ports = new CheckedPorts(options, access, project);
    this.#out = out;
    out.state({ isOffered: access.isOffered(), hasBrowser: findBrowser(this.#environment()) !== undefined });
  }

  readonly calls: AreaSession<PreviewArea>['calls'] = {
    ports: async () => ({ ports: await this.#ports.list() }),
    open: async ({ address: text, accepted }) => {
      const address = this.#ports.read(text);
      const { port } = address;
      const held = await this.#ports.find(address);
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
    check: async ({ address: text, accepted }) => {
      const address = this.#ports.read(text);
      const { holder } = await this.#ports.find(address);
      return mayShow(holder, accepted) ? { type: 'own' } : { type: 'held', port: address.port, holder };
    },
    end: ({ port }) => {
      this.#open.get(port)?.end();
      this.#open.delete(port);
    },
    screenshot: async ({ address: text, accepted, width, height }) => {
      const address = this.#ports.read(text);
      const { holder } = await this.#ports.find(address);
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

  /** Connects to the listener that was shown; to another one only if it may be shown too. */
  #connector(address: LocalAddress, accepted: string | undefined, shown: Listener): () => Promise<Duplex> {
    let listener = shown;
    let checkedAt = performance.now();
    return async () => {
      if (performance.now() - checkedAt > RECHECK_MS) {
        if (!(await isStillListening(listener))) {
          const found = await this.#ports.find(address);
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
}

function notOffered(): CodedError {
  return new CodedError(
    'EXPOSURE_REFUSED',
    'Preview works only in a browser on this machine.',
    'Open the address in a browser tab instead.',
  );
}
