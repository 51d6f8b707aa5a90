/**
 * The connections below HTTP and sockets: which of them have proven a sign-in. Those that have not are few, and of too many
 * the oldest go (X2); those of a sign-in that was revoked are cut off, whatever they are still being sent (X1).
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connections {
  /** It carries a request of this sign-in from now on. */
  proven(stream: Duplex, signIn?: string): void;
  /** That request was answered. */
  answered(stream: Duplex): void;
  /** Cuts off what is being answered to a sign-in, or to everybody. */
  cutOff(signIn?: string): void;
}

export function watchConnections(
  server: Server,
  { isSecure, maxUnproven }: { readonly isSecure: boolean; readonly maxUnproven: number },
): Connections {
  /** In the order in which they came. */
  const unproven = new Set<Duplex>();
  const asking = new Map<Duplex, string>();
  const came = (stream: Duplex) => {
    unproven.add(stream);
    stream.once('close', () => {
      unproven.delete(stream);
      asking.delete(stream);
    });
    for (const oldest of unproven) {
      if (unproven.size <= maxUnproven) break;
      unproven.delete(oldest);
      oldest.destroy();
    }
  };
  // Under TLS, requests name the stream inside; one that never gets that far has little time.
  server.on(isSecure ? 'secureConnection' : 'connection', came);
  return {
    proven(stream, signIn) {
      unproven.delete(stream);
      if (signIn !== undefined) asking.set(stream, signIn);
    },
    answered: (stream) => void asking.delete(stream),
    cutOff(signIn) {
      for (const [stream, owner] of asking) {
        if (signIn === undefined || owner === signIn) stream.destroy();
      }
    },
  };
}
