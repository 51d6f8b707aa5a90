/**
 * A deck on another machine, reached over a real sshd on loopback, whose network can be cut. With TUGDECK_TEST_OVER_SSH=1,
 * `openDeck` gives every browser test such a deck: its pages are served here, its project and agents are there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '@tugdeck/local/node-flags';
import { launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { cleanEnvironment } from '@tugdeck/testkit/clean-env';
import { freePort } from '@tugdeck/testkit/free-port';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { startLocalSshd } from '@tugdeck/testkit/remote-machine';
import { createSandbox } from '@tugdeck/testkit/temp';
import { openWire, type Wire } from './campaign/wire.ts';
import type { Deck } from './deck.ts';
import { LONG_TIMEOUTS } from './long-timeouts.ts';

export const OVER_SSH = process.env.TUGDECK_TEST_OVER_SSH === '1';
/** The name of the machine in the front deck. */
export const FAR_NAME = 'devbox';

export interface SshRoute {
  /** For `machines` in config.json. */
  readonly command: readonly string[];
  /** Between ssh and sshd. */
  readonly wire: Wire;
  /** Running ssh programs of this route, and the bridges that they started. */
  carriers(): number[];
  bridges(): number[];
  close(): Promise<void>;
}

/** Makes a machine reachable over ssh. `program`: its `tugdeck`. */
export async function routeOverSsh(
  { sandbox, environment }: Pick<Deck, 'sandbox' | 'environment'>,
  program: string,
): Promise<SshRoute> {
  const folder = await mkdtemp(join(tmpdir(), 'tugdeck-sshd-'));
  const sshd = await startLocalSshd(folder, sandbox.home, environment);
  const wire = await openWire(() => sshd.port);
  const bridge = [process.execPath, program, 'bridge', '--data-dir', sandbox.data];
  const running = (of: string, mark: string) =>
    pidsWith(({ program: name, args }) => name.endsWith(of) && args.includes(mark));
  return {
    command: [...sshd.ssh(wire.port), ...bridge],
    wire,
    carriers: () => running('ssh', join(folder, 'user')),
    bridges: () => running('node', sandbox.data).filter((pid) => argumentsOf(pid).includes('bridge')),
    async close() {
      wire.close();
      await sshd.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `there`, with the pages of another deck that reaches it over ssh. */
export async function overSsh(there: Deck, program: string): Promise<Deck & { readonly route: SshRoute }> {
  const route = await routeOverSsh(there, program);
  const front = await createSandbox();
  const environment = cleanEnvironment(front, {
    extra: { TUGDECK_DATA_DIR: front.data, TUGDECK_RUNTIME_DIR: front.runtime },
  });
  const port = await freePort();
  await writeFile(
    join(front.data, 'config.json'),
    JSON.stringify({
      port,
      timings: { ...LONG_TIMEOUTS, reconnectMs: [50, 100] },
      machines: { [FAR_NAME]: { command: route.command } },
    }),
  );
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], { env: environment });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout: stdout.trim() };
  };
  let serverPid = 0;
  const startServer = async () => {
    const server = spawn(process.execPath, [...NODE_FLAGS, program, 'serve'], {
      env: environment,
      stdio: 'ignore',
    });
    serverPid = server.pid ?? 0;
    await waitFor(async () => (await run('status')).code === 0, { what: 'the front deck to start' });
  };
  await startServer();
  await waitFor(
    async () => JSON.parse((await run('machine', 'list', '--json')).stdout)[0]?.state === 'online',
    { what: 'the machine to be online' },
  );
  const pages: TestPage[] = [];
  return Object.create(there, {
    route: { value: route },
    port: { value: port },
    origin: { value: `http://127.0.0.1:${port}` },
    serverPid: { get: () => serverPid },
    page: {
      value: async (options: Parameters<Deck['page']>[0]) => {
        const opened = await newPage(await launchBrowser(), options);
        pages.push(opened);
        await opened.page.goto((await run('url')).stdout);
        await opened.page.getByText(FAR_NAME).first().waitFor({ state: 'attached' });
        return opened;
      },
    },
    killServer: {
      value: async () => {
        kill9(serverPid);
        await waitGone(serverPid);
      },
    },
    startServer: { value: startServer },
    close: {
      value: async () => {
        await Promise.all(pages.map((page) => page.close()));
        await run('stop', '--all');
        await route.close();
        await front.dispose();
        await there.close();
      },
    },
  });
}

function pidsWith(fits: (process: { program: string; args: readonly string[] }) => boolean): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const [program = '', ...args] = argumentsOf(pid);
      return pid > 1 && fits({ program, args });
    });
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // Not a process, or ended.
  }
}
