/** Composes the previews of a gateway (W7): their port, their proxy, and the access that the machine's area uses. */
import type { HeldPort } from '@tugdeck/local/held-port';
import type { PreviewAccess } from '@tugdeck/machine/preview-access';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Instance } from '../transport/instance.ts';
import { findPageFile } from '../transport/page-files.ts';
import { holdPreviewPort } from './preview-port.ts';
import { createProxy } from './preview-proxy.ts';
import { Previews } from './previews.ts';

export interface PreviewsOptions {
  /** The deck's own address; previews need a browser on this machine, without TLS. */
  readonly isOffered: boolean;
  readonly deck: () => { readonly origin: string; readonly port: number };
  /** Folder of the built page. */
  readonly web: string | undefined;
  readonly now: () => number;
}

export interface ServedPreviews {
  readonly access: PreviewAccess;
  readonly port: () => number | undefined;
  /** Called once, with the first instance. */
  start(instance: Instance): Promise<void>;
  endAll(): void;
  close(): void;
}

export function servePreviews({ isOffered, deck, web, now }: PreviewsOptions): ServedPreviews {
  let held: HeldPort | undefined;
  let previews: Previews | undefined;
  let close: () => void = () => undefined;
  return {
    access: {
      isOffered: () => held !== undefined,
      ownPorts: () => [deck().port, ...(held ? [held.port] : [])],
      open(target) {
        if (!previews) throw new CodedError('EXPOSURE_REFUSED', 'Previews aren’t available on this server.');
        return previews.open(target);
      },
    },
    port: () => held?.port,
    async start(instance) {
      if (!isOffered) return;
      const port = () => held?.port ?? 0;
      previews = new Previews(instance, port, now);
      const proxy = createProxy({
        previews,
        deck: () => deck().origin,
        script: () => (web === undefined ? undefined : findPageFile(web, '/preview/frame.js', '')?.body),
      });
      held = await holdPreviewPort(instance, (socket) => void proxy.emit('connection', socket));
      // Node starts its timeout checks on `listening`.
      proxy.emit('listening');
      close = () => {
        held?.close();
        previews?.endAll();
        proxy.close();
        proxy.closeAllConnections();
      };
    },
    endAll: () => previews?.endAll(),
    close: () => close(),
  };
}
