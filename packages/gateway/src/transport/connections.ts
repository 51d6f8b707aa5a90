/**
 * Tracks which TCP connections carry a signed-in request. Unauthenticated ones are limited, oldest closed first (X2).
 * When a sign-in is revoked, its connections are closed, whatever is still being sent (X1).
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { outerStream } from './raw-server.ts';

export interface Connections {
  /** The connection now carries a request of this sign-in. */
  authenticated(stream: Duplex, signIn?: string): void;
  /** One request of this sign-in was answered; others may be pending on the same connection. */
  answered(stream: Duplex, signIn: string): void;
  /** Closes connections with pending requests of a sign-in, or of everyone, except `except`. */
  disconnect(signIn?: string, except?: Duplex): void;
}

export function watchConnections(
  server: Server,
  { maxUnauthenticated }: { readonly maxUnauthenticated: number },
): Connections {
  /** In order of arrival. */
  const unauthenticated = new Set<Duplex>();
  /** Sign-ins of unanswered requests. */
  const pending = new Map<Duplex, readonly string[]>();
  const accepted = (stream: Duplex) => {
    unauthenticated.add(stream);
    stream.once('close', () => {
      unauthenticated.delete(stream);
      pending.delete(stream);
    });
    for (const oldest of unauthenticated) {
      if (unauthenticated.size <= maxUnauthenticated) break;
      unauthenticated.delete(oldest);
      oldest.destroy();
    }
  };
  // A TLS handshake counts too: many that stay half done would use up the connections.
  server.on('connection', accepted);
  server.on('secureConnection', (inner: Duplex) => {
    unauthenticated.delete(outerStream(inner));
    accepted(inner);
  });
  return {
    authenticated(stream, signIn) {
      unauthenticated.delete(stream);
      if (signIn !== undefined) pending.set(stream, [...(pending.get(stream) ?? []), signIn]);
    },
    answered(stream, signIn) {
      const all = pending.get(stream) ?? [];
      const at = all.indexOf(signIn);
      const left = all.filter((_, index) => index !== at);
      if (left.length > 0) pending.set(stream, left);
      else pending.delete(stream);
    },
    disconnect(signIn, except) {
      for (const [stream, owners] of pending) {
        if (stream !== except && (signIn === undefined || owners.includes(signIn))) stream.destroy();
      }
    },
  };
}
