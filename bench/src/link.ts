/**
 * A link to another machine: what it adds to the round trip of its carrier (N16), the same beside a flooded stream that
 * nobody reads (N11), and the start of a server with 20 machines that cannot be reached (N15).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { serveLink } from '@tugdeck/link/serve-link';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import { Product } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

/** What `tugdeck bridge` does: bytes between stdio and a socket. */
const BRIDGE = `const socket = require('node:net').connect(process.argv[1]);
process.stdin.pipe(socket); socket.pipe(process.stdout); socket.on('close', () => process.exit());`;
const CALLS = 300;
const LINE = 200;
const UNREACHABLE = 20;

const CARRIER = 'carrier, 200 bytes there and back';
const CALL = 'call over a link';
const FLOODED = 'call beside a flooded stream';
const ALONE = 'start';
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

export const link: Benchmark = {
  name: 'link',
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
      log(
        `round ${round + 1}: carrier ${samples.median(CARRIER).toFixed(2)}, link ${samples.median(CALL).toFixed(2)} ms`,
      );
    }
    return {
      name: 'link',
      about: 'a link over a child process, against the child process alone',
      series: samples.series(),
      judgements: [
        judge('milliseconds that a link adds, median', samples.median(CALL) - samples.median(CARRIER), 2),
        judge('beside a flooded stream against alone, p95', samples.p95(FLOODED) / samples.p95(CALL), 1.5),
        judge(
          'start with 20 unreachable machines against none',
          samples.median(MANY) / samples.median(ALONE),
          1.05,
        ),
      ],
      load,
      rounds,
    };
  },
};
