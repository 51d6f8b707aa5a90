/** The gateway's part of previews (W7): a proxy with separate origins. */
import type { Duplex } from 'node:stream';

export interface PreviewTarget {
  /** The sign-in that may use it. */
  readonly signIn: string;
  /** Previews with the same name share an origin, and so the storage of the shown app. */
  readonly name: string;
  /** The server's own origin: `http://localhost:5173`. */
  readonly origin: string;
  /** The first address: path, query and fragment. */
  readonly path: string;
  /** A connection to the server. Rejects with a coded error that is shown in the frame. */
  readonly connect: () => Promise<Duplex>;
  /** The server redirected to another origin, which the frame must not show. */
  readonly redirected: (address: string) => void;
}

export interface OpenPreview {
  /** Signs the frame in; works once. */
  readonly url: string;
  readonly origin: string;
  /** Closes its connections; the origin no longer answers. */
  end(): void;
}

export interface PreviewAccess {
  readonly isOffered: () => boolean;
  /** Ports of this server, which no preview may show. */
  readonly ownPorts: () => readonly number[];
  readonly open: (target: PreviewTarget) => OpenPreview;
}
