/**
 * A real nats-server on loopback for tests of fleets: one, or a cluster of three. Debian's package is downloaded if it is not
 * installed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { waitFor } from './process-facts.ts';

const CACHE = fileURLToPath(new URL('../../.cache/nats-server', import.meta.url));
const INSTALLED = '/usr/sbin/nats-server';

/** Why there can be no server here, as a sentence. */
export function whyNoNatsServer(): string | undefined {
  return program() === undefined ? 'Needs nats-server (Debian: apt-get install nats-server).' : undefined;
}

function program(): string | undefined {
  if (existsSync(INSTALLED)) return INSTALLED;
  const found = join(CACHE, INSTALLED);
  if (!existsSync(found)) {
    // Beside its place, and then moved: another test may need it at the same time.
    const script =
      'mkdir -p "$0" && cd "$0" && apt-get download -q nats-server && dpkg -x nats-server*.deb x && mv -T x "$1"';
    const own = `${CACHE}-${process.pid}`;
    spawnSync('/bin/sh', ['-c', script, own, CACHE], { stdio: 'ignore', timeout: 30_000 });
    rmSync(own, { recursive: true, force: true });
  }
  return existsSync(found) ? found : undefined;
}

export interface NatsServer {
  readonly port: number;
  readonly pid: number;
  /** `SIGKILL` unless another one is named. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and store. */
  start(): Promise<void>;
  /** Deletes everything that it stored; while it does not run. */
  wipe(): void;
  /** Stops it without closing anything, and lets it go on. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** `folder`: with `nats.conf`, as `tugdeck fleet init` writes it, whose port is `port`. */
export async function startNatsServer(
  folder: string,
  port: number,
  {
    name = 'tugdeck-1',
    cluster,
  }: { name?: string; cluster?: { port: number; routes: readonly number[] } } = {},
): Promise<NatsServer> {
  const own = join(folder, `run-${name}`);
  mkdirSync(own, { recursive: true });
  for (const file of ['server.pem', 'server.key'])
    writeFileSync(join(own, file), readFileSync(join(folder, file)));
  const configuration = readFileSync(join(folder, 'nats.conf'), 'utf8')
    .replace(/^server_name: .*$/m, `server_name: ${name}`)
    .replace(/^port: .*$/m, `host: 127.0.0.1\nport: ${port}`);
  const routes = cluster?.routes.map((route) => `nats://127.0.0.1:${route}`).join(', ');
  const block = cluster
    ? `\ncluster {\n  name: fleet\n  host: 127.0.0.1\n  port: ${cluster.port}\n  routes: [${routes}]\n}\n`
    : '';
  writeFileSync(join(own, 'nats.conf'), configuration + block);
  let child: ChildProcess | undefined;
  const server: NatsServer = {
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    async kill(signal = 'SIGKILL') {
      const running = child;
      child = undefined;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'exit');
      running.kill(signal);
      await ended;
    },
    async start() {
      child = spawn(program() ?? '', ['-c', 'nats.conf', '-l', 'log'], { cwd: own, stdio: 'ignore' });
      await waitFor(() => accepts(port), { what: 'nats-server to listen' });
    },
    wipe: () => rmSync(join(own, 'store'), { recursive: true, force: true }),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    close: () => server.kill(),
  };
  await server.start();
  return server;
}

/** Three servers that copy everything to each other. */
export async function startNatsCluster(folder: string, ports: readonly number[]): Promise<NatsServer[]> {
  const routes = await Promise.all(ports.map(() => freePort()));
  return Promise.all(
    ports.map((port, at) =>
      startNatsServer(folder, port, {
        name: `tugdeck-${at + 1}`,
        cluster: { port: routes[at] ?? 0, routes: routes.filter((_, other) => other !== at) },
      }),
    ),
  );
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
