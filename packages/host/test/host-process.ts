/** The real host program as a process with a temporary data directory, and a client on its socket. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { HostConfigInput } from '@tugdeck/local/host-config';
import { openLedger } from '@tugdeck/local/ledger';
import { createLineReader } from '@tugdeck/local/lines';
import { endTree } from '@tugdeck/local/process-ending';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { inPidNamespace } from '@tugdeck/testkit/pid-namespace';
import { build } from 'rolldown';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const SESSION = '11111111-2222-4333-8444-555555555555';

/** In the environment of every host: its temporary directory. */
export const PLACE = 'TUGDECK_TEST_PLACE';

export interface Place {
  readonly root: string;
  readonly data: ReturnType<typeof dataDirectory>;
  readonly ledger: ReturnType<typeof openLedger>;
  /** Pids of all agents started here, and overlaps they noticed. */
  pids(): number[];
  overlaps(): string;
  /** `fileLimitKb`: limits the size of the host's files, like a full disk. `isInNamespace`: in a separate pid namespace. */
  start(
    more?: Partial<HostConfigInput>,
    limits?: { fileLimitKb?: number; isInNamespace?: boolean },
  ): Promise<HostProcess>;
  clear(): Promise<void>;
}

export interface HostProcess {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  readonly socket: string;
  readonly secret: string;
  client(): Promise<LinkClient>;
}

export async function bundleHost(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'tugdeck-host-')), 'host.mjs');
  await build({
    input: here('../src/main.ts'),
    platform: 'node',
    logLevel: 'silent',
    output: { file, format: 'esm' },
  });
  return file;
}

export function hostPlace(program: string): Place {
  const root = mkdtempSync(join(tmpdir(), 'tdh-'));
  const file = (name: string) => join(root, name);
  const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
  const data = dataDirectory(file('data'));
  const ledger = openLedger(data.ledger);
  mkdirSync(file('project'));
  mkdirSync(file('run'));
  const started: number[] = [];
  const pids = () => read('pids').split('\n').filter(Boolean).map(Number);
  return {
    root,
    data,
    ledger,
    pids,
    overlaps: () => read('overlaps'),
    async start(more = {}, { fileLimitKb, isInNamespace = false } = {}) {
      const limit = fileLimitKb === undefined ? '' : `ulimit -f ${fileLimitKb * 2}; `;
      const words = ['/bin/sh', '-c', `${limit}exec "$0" "$1"`, process.execPath, program];
      const { command, args } = isInNamespace
        ? inPidNamespace(words, { stays: true })
        : { command: words[0] ?? '', args: words.slice(1) };
      const child = spawn(command, args, {
        detached: true,
        stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
        env: { PATH: process.env.PATH, [PLACE]: root },
      });
      const config: HostConfigInput = {
        dataDirectory: data.root,
        runtimeDirectory: file('run'),
        session: SESSION,
        agent: {
          name: 'stubborn',
          label: 'Stubborn',
          protocol: 'acp',
          command: process.execPath,
          args: [here('./stubborn-agent.mjs')],
        },
        directory: file('project'),
        environment: {
          PATH: process.env.PATH ?? '',
          // Pids of another namespace mean other processes here.
          AGENT_PIDS: file(isInNamespace ? 'pids-in-namespace' : 'pids'),
          AGENT_OVERLAPS: file('overlaps'),
        },
        timings: { farewellMs: 100, terminateMs: 100, restartMs: 10 },
        ...more,
      };
      started.push(child.pid ?? 0);
      const exited = once(child, 'exit');
      child.stdin?.end(JSON.stringify(config));
      const ready = child.stdio[3];
      if (!ready) throw new Error('no descriptor to read from');
      const [line] = (await once(ready, 'data')) as [Buffer];
      const descriptor = JSON.parse(line.toString()) as { socket: string; secret: string; error?: unknown };
      if (descriptor.error)
        throw Object.assign(new Error(JSON.stringify(descriptor.error)), descriptor.error);
      return {
        pid: child.pid ?? 0,
        exited,
        socket: descriptor.socket,
        secret: descriptor.secret,
        client: () => LinkClient.open(descriptor.socket, descriptor.secret),
      };
    },
    async clear() {
      for (const pid of [...started, ...pids()]) endProcess(pid);
      for (const record of ledger.read()) await endTree(record, { farewellMs: 0, terminateMs: 50 });
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export class LinkClient {
  readonly socket: Socket;
  readonly messages: HostMessage[] = [];
  readonly #waiters = new Set<() => void>();

  constructor(socket: Socket) {
    this.socket = socket;
    const lines = createLineReader(64 * 1024 * 1024, {
      line: (line) => void this.messages.push(JSON.parse(line) as HostMessage),
      overlong: () => undefined,
      pushed: () => {
        for (const check of [...this.#waiters]) check();
      },
    });
    socket.on('data', (chunk) => lines.push(chunk));
    socket.on('error', () => socket.destroy());
  }

  static async open(path: string, secret: string): Promise<LinkClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    const client = new LinkClient(socket);
    client.send({ type: 'protocol_init', version: 1, secret });
    await client.until((message) => message.type === 'protocol_ack');
    return client;
  }

  send(request: HostRequestInput): void {
    this.socket.write(`${JSON.stringify(request)}\n`);
  }

  /** The first matching message, received or future. */
  until(fits: (message: HostMessage) => boolean): Promise<HostMessage> {
    return new Promise((resolve, reject) => {
      let seen = 0;
      const check = () => {
        for (; seen < this.messages.length; seen++) {
          const message = this.messages[seen];
          if (!message || !fits(message)) continue;
          this.#waiters.delete(check);
          resolve(message);
          return;
        }
      };
      this.#waiters.add(check);
      this.socket.once('close', () => reject(new Error('the link closed')));
      check();
    });
  }
}
