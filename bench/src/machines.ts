/**
 * A link to another machine: what it adds to the round trip of its carrier (N16), the same beside a flooded stream that
 * nobody reads (N11), the start of a server with 20 machines that cannot be reached (N15), and the list of 20 machines
 * with 50 sessions each.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { serveLink } from '@tugdeck/link/serve-link';
import { deckMessageSchema } from '@tugdeck/protocol/wire/deck';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { BRIDGE, servedMachine } from '@tugdeck/testkit/served-machine';
import { Visit } from '@tugdeck/testkit/visit';
import { Product } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const CALLS = 300;
const LISTS = 10;
const LINE = 200;
const UNREACHABLE = 20;

const MACHINES = 20;
const ROWS = 50;

const CARRIER = 'carrier, 200 bytes there and back';
const CALL = 'call over a link';
const FLOODED = 'call beside a flooded stream';
const ALONE = 'start';
const LIST = `list of ${MACHINES} machines with ${ROWS} sessions`;
const ONE_LIST = `list of one machine with ${MACHINES * ROWS} sessions`;
const MANY = `start with ${UNREACHABLE} unreachable machines`;

async function carried(
  serve: (socket: Socket) => void,
): Promise<{ child: ChildProcess; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tugdeck-link-'));
  const path = join(folder, 's');
  const server = createServer(serve).listen(path);
  await once(server, 'listening');
  const child = spawn(process.execPath, ['-e', BRIDGE, '--', path], { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    child,
    async close() {
      child.kill();
      await once(child, 'close');
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Milliseconds of one line through the carrier and back. */
async function echoTimes(): Promise<number[]> {
  const { child, close } = await carried((socket) => socket.pipe(socket));
  const line = Buffer.alloc(LINE, 1);
  const times: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    child.stdin?.write(line);
    for (let left = LINE; left > 0; ) {
      const [chunk] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
      left -= chunk.length;
    }
    times.push(performance.now() - began);
  }
  await close();
  return times;
}

async function callTimes(link: Link): Promise<number[]> {
  const ignore = () => undefined;
  const area = link.machine.openArea('git', {}, { push: ignore, bytes: ignore });
  await area.opened;
  const ask = { text: 'x'.repeat(LINE - 30) };
  const times: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    await area.call(ask);
    times.push(performance.now() - began);
  }
  area.close();
  return times;
}

async function linkTimes(): Promise<{ alone: number[]; flooded: number[] }> {
  const options = { machine: new FakeMachine(), build: 'bench', environment: {}, log: quietLog };
  const { child, close } = await carried((socket) => void serveLink(socket, socket, options));
  if (!child.stdin || !child.stdout) throw new Error('no pipes');
  const link = await connectLink(child.stdout, child.stdin);
  const alone = await callTimes(link);
  const ignore = () => undefined;
  const flood = link.machine.openArea('terminal', { flood: 500 }, { push: ignore, bytes: ignore });
  flood.pause();
  const flooded = await callTimes(link);
  link.close();
  await close();
  return { alone, flooded };
}

async function startTime(machines: number): Promise<number> {
  const product = await Product.prepare();
  try {
    const command = ['/bin/sleep', '60'];
    const names = Array.from({ length: machines }, (_, at) => [`box${at}`, { command }]);
    if (machines > 0) {
      await writeFile(
        join(product.sandbox.data, 'config.json'),
        JSON.stringify({ machines: Object.fromEntries(names) }),
      );
    }
    const began = performance.now();
    await product.start();
    return performance.now() - began;
  } finally {
    await product.close();
  }
}

/** From a page's connection to the last row of its list, once all machines are listed. */
async function listTimes(machines: number, rows: number): Promise<number[]> {
  const served = await Promise.all(Array.from({ length: machines }, () => servedMachine(rows)));
  const product = await Product.prepare();
  try {
    const names = served.map(({ command }, at) => [`box${at}`, { command }]);
    await writeFile(
      join(product.sandbox.data, 'config.json'),
      JSON.stringify({ machines: Object.fromEntries(names) }),
    );
    await product.start();
    const visit = await Visit.enter((await product.run('url')).trim());
    await waitFor(async () => (await listOnce(visit)).rows === machines * rows, { what: 'all rows' });
    const times: number[] = [];
    for (let at = 0; at < LISTS; at++) times.push((await listOnce(visit)).milliseconds);
    return times;
  } finally {
    await product.close();
    for (const one of served) one.close();
  }
}

async function listOnce(visit: Visit): Promise<{ milliseconds: number; rows: number }> {
  const began = performance.now();
  const socket = await visit.socket();
  try {
    return await new Promise((resolve, reject) => {
      const ids = new Set<string>();
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => {
        const frame = decodeFrame(data);
        if (frame?.feed !== FEED.deck) return;
        const message = deckMessageSchema.parse(JSON.parse(Buffer.from(frame.payload).toString()));
        const found =
          message.type === 'welcome' ? message.deck.sessions : message.type === 'rows' ? message.rows : [];
        for (const { id } of found) ids.add(id);
        const isLast =
          message.type === 'welcome' ? !message.deck.more : message.type === 'rows' && message.more === false;
        if (isLast) resolve({ milliseconds: performance.now() - began, rows: ids.size });
      });
      const hello = { type: 'hello', id: randomUUID(), version: PAGE_VERSION, build: 'bench' };
      socket.send(encodeFrame(FEED.deck, 0, Buffer.from(JSON.stringify(hello))));
    });
  } finally {
    socket.close();
  }
}

export const machines: Benchmark = {
  name: 'machines',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      samples.add(CARRIER, 'ms', ...(await echoTimes()));
      const { alone, flooded } = await linkTimes();
      samples.add(CALL, 'ms', ...alone);
      samples.add(FLOODED, 'ms', ...flooded);
      samples.add(ALONE, 'ms', await startTime(0));
      samples.add(MANY, 'ms', await startTime(UNREACHABLE));
      samples.add(LIST, 'ms', ...(await listTimes(MACHINES, ROWS)));
      samples.add(ONE_LIST, 'ms', ...(await listTimes(1, MACHINES * ROWS)));
      log(
        `round ${round + 1}: carrier ${samples.median(CARRIER).toFixed(2)}, link ${samples.median(CALL).toFixed(2)} ms`,
      );
    }
    return {
      name: 'machines',
      about:
        'links to other machines over a child process, against the child process alone and against no machines',
      series: samples.series(),
      judgements: [
        judge('milliseconds that a link adds, median', samples.median(CALL) - samples.median(CARRIER), 2),
        judge('beside a flooded stream against alone, p95', samples.p95(FLOODED) / samples.p95(CALL), 1.5),
        judge(
          'start with 20 unreachable machines against none',
          samples.median(MANY) / samples.median(ALONE),
          1.05,
        ),
        judge(
          'list of 20 machines with 50 sessions against one with 1,000',
          samples.median(LIST) / samples.median(ONE_LIST),
          2,
        ),
      ],
      load,
      rounds,
    };
  },
};
