/**
 * TLS 1.3 over a byte stream that others can read and change (N24). Each end presents its certificate and passes on no byte
 * before it has seen the one it expects. Sessions are never resumed: every link proves both keys again.
 */
import type { Duplex } from 'node:stream';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { type Certificate, fingerprintOf } from './certificates.ts';

const HANDSHAKE_MS = 10_000;

export interface SecureStream {
  readonly stream: TLSSocket;
  /** Fingerprint of the other end's certificate. */
  readonly peer: string;
}

interface PinnedOptions {
  readonly own: Certificate;
  /** Whether the other end is the right one, by its fingerprint. */
  readonly isExpected: (fingerprint: string) => boolean;
  readonly isServer: boolean;
}

/** Rejects, and closes the stream, if the other end cannot prove a certificate that is expected. */
export function secureStream(
  under: Duplex,
  { own, isExpected, isServer }: PinnedOptions,
): Promise<SecureStream> {
  const shared = {
    cert: own.certificate,
    key: own.key,
    minVersion: 'TLSv1.3' as const,
    // Certificates have no authority: the fingerprint is compared below, and TLS itself proves the key.
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const fail = (error?: Error) => {
      clearTimeout(timer);
      under.destroy();
      reject(error ?? new Error('closed during the handshake'));
    };
    const timer = setTimeout(() => fail(new Error('no handshake')), HANDSHAKE_MS);
    const secured = (stream: TLSSocket) => {
      clearTimeout(timer);
      under.off('close', fail);
      const raw = stream.getPeerX509Certificate()?.raw;
      const peer = raw ? fingerprintOf(raw) : '';
      if (stream.getProtocol() !== 'TLSv1.3' || !isExpected(peer)) {
        stream.destroy();
        fail(new Error('not the expected certificate'));
        return;
      }
      resolve({ stream, peer });
    };
    under.once('close', fail);
    under.on('error', () => undefined); // Followed by `close`.
    if (isServer) {
      const server = createServer({ ...shared, requestCert: true }, (stream) => {
        stream.on('error', () => undefined);
        secured(stream);
      });
      server.on('tlsClientError', fail);
      server.emit('connection', under);
    } else {
      const stream = connect({ ...shared, socket: under }, () => secured(stream));
      stream.on('error', fail);
    }
  });
}
