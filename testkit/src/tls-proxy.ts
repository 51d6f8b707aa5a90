// A proxy on loopback that ends TLS, as Caddy or Tailscale Serve do. It can be as slow and lossy as a mobile network.
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';

export interface Network {
  /** Round trip. */
  readonly rttMs: number;
  /** Share of lost packets. TCP sends them again, so what comes after them arrives later. */
  readonly loss: number;
}

export interface TlsProxy {
  readonly origin: string;
  /** Hash of the certificate's public key. */
  readonly publicKey: string;
  /** Bytes to and from the browser, without TLS. */
  readonly bytes: { up: number; down: number };
  /** Undefined: as fast as loopback. */
  network: Network | undefined;
  /** While false, connections hang and new ones are refused. */
  isUp: boolean;
  close(): Promise<void>;
}

const PACKET = 1_400;
/** Minimum retransmission timeout of Linux. */
const RTO_MS = 200;

export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startTlsProxy(options: {
  readonly name: string;
  readonly port: number;
  readonly target: () => number;
  readonly folder: string;
}): Promise<TlsProxy> {
  const { name, port, target, folder } = options;
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  const open = new Set<TLSSocket>();
  const random = seeded(1);
  const proxy: TlsProxy = {
    origin: `https://${name}:${port}`,
    publicKey: createHash('sha256')
      .update(new X509Certificate(readFileSync(cert)).publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
    bytes: { up: 0, down: 0 },
    network: undefined,
    isUp: true,
    close: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => done());
      }),
  };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (browser) => {
    if (!proxy.isUp) {
      browser.destroy();
      return;
    }
    open.add(browser);
    const inner = connect(target(), '127.0.0.1');
    relay(browser, inner, (size) => {
      proxy.bytes.up += size;
    });
    relay(inner, browser, (size) => {
      proxy.bytes.down += size;
    });
    browser.on('close', () => {
      open.delete(browser);
      inner.destroy();
    });
    for (const socket of [browser, inner]) socket.on('error', () => undefined);
  });
  /** Keeps the order: a late packet holds up those behind it. */
  function relay(from: Socket, to: Socket, count: (size: number) => void): void {
    let due = 0;
    let ended = false;
    const later = (act: () => void, extraMs: number) => {
      const oneWay = (proxy.network?.rttMs ?? 0) / 2;
      due = Math.max(due, performance.now() + oneWay) + extraMs;
      const wait = due - performance.now();
      if (wait <= 0) act();
      else setTimeout(act, wait);
    };
    from.on('data', (chunk: Buffer) => {
      if (!proxy.isUp) return;
      count(chunk.length);
      const { rttMs = 0, loss = 0 } = proxy.network ?? {};
      let held = 0;
      for (let at = 0; at < chunk.length; at += PACKET) if (random() < loss) held += rttMs + RTO_MS;
      later(() => to.write(chunk), held);
    });
    from.on('close', () => {
      if (ended) return;
      ended = true;
      if (proxy.isUp) later(() => to.end(), 0);
    });
  }
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', done);
  });
  return proxy;
}

/** The same losses in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
