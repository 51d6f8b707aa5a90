/**
 * A fleet: a call over a link through a NATS server against one over ssh (N16), how long 10,000 lines
 * take to be copied (N33), and how soon a revoked machine is disconnected (N25).
 */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { serveLink } from '@tugdeck/link/serve-link';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { startLocalSshd } from '@tugdeck/testkit/remote-machine';
import { equalsJournal, TestFleet } from '@tugdeck/testkit/test-fleet';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const CALLS = 300;
const LINE = 200;
const LINES = 10_000;
const THROUGH_NATS = 'call over a link through NATS';
const THROUGH_SSH = 'call over a link through ssh';
const REVOKED = 'a revoked machine is disconnected';
const CATCH_UP = `${LINES} lines copied`;
const BRIDGE = `const socket = require('node:net').connect(process.argv[1]);
process.stdin.pipe(socket); socket.pipe(process.stdout); socket.on('close', () => process.exit());`;

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

async function sshTimes(): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tugdeck-ssh-'));
  const path = join(folder, 's');
  const serving = { machine: new FakeMachine(), build: 'bench', environment: {}, log: quietLog };
  const server = createServer((socket) => void serveLink(socket, socket, serving)).listen(path);
  const sshd = await startLocalSshd(folder, folder, { HOME: folder });
  const [program = '', ...args] = sshd.ssh();
  const child = spawn(
    program,
    [...args, `${process.execPath} -e "${BRIDGE.replace('\n', ' ')}" -- ${path}`],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  try {
    const link = await connectLink(child.stdout, child.stdin);
    const times = await callTimes(link);
    link.close();
    return times;
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    await sshd.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fleetTimes(): Promise<{ calls: number[]; catchUp: number; revoked: number }> {
  const fleet = await TestFleet.start();
  try {
    const worker = await fleet.join('worker');
    const session = randomUUID();
    const { writer } = openJournal(worker.data.session(session), { now: () => 1 });
    let state = EMPTY;
    for (let line = 1; line <= LINES; line++) {
      const entry = {
        id: `n${line}`,
        kind: 'notice',
        status: 'complete',
        text: `line ${line}`,
        notice: 'info',
      };
      const change = { kind: 'entry.opened', entry: { ...entry, level: 'info' }, v: line, at: 1 };
      const changes = [change as unknown as Change];
      state = foldAll(state, changes);
      writer.append(changes, state);
    }
    writer.close();
    const began = performance.now();
    const { engine } = worker.open();
    await fleet.online(engine);
    await waitFor(() => equalsJournal(fleet, worker, session), { what: 'the copy' });
    const catchUp = performance.now() - began;
    const carrier = fleet.deck.carrier('worker');
    const link = await connectLink(carrier.from, carrier.to);
    const calls = await callTimes(link);
    const { user } = worker.member();
    const revokedAt = performance.now();
    fleet.configure({ machines: {}, revoked: { [user]: Math.floor(Date.now() / 1000) + 1 } });
    await link.closed;
    await waitFor(() => !engine.isConnected, { what: 'the server to disconnect it', intervalMs: 5 });
    return { calls, catchUp, revoked: performance.now() - revokedAt };
  } finally {
    await fleet.close();
  }
}

export const fleet: Benchmark = {
  name: 'fleet',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      const { calls, catchUp, revoked } = await fleetTimes();
      samples.add(THROUGH_NATS, 'ms', ...calls);
      samples.add(CATCH_UP, 'ms', catchUp);
      samples.add(REVOKED, 'ms', revoked);
      samples.add(THROUGH_SSH, 'ms', ...(await sshTimes()));
      log(
        `round ${round + 1}: NATS ${samples.median(THROUGH_NATS).toFixed(2)}, ssh ${samples.median(THROUGH_SSH).toFixed(2)} ms, ${LINES} lines ${Math.round(catchUp)} ms`,
      );
    }
    return {
      name: 'fleet',
      about: 'links and copies through a real nats-server on this machine, against links over a real sshd',
      series: samples.series(),
      judgements: [
        judge(
          'call through NATS against one through ssh, median',
          samples.median(THROUGH_NATS) / samples.median(THROUGH_SSH),
          2,
        ),
        judge(`seconds to copy ${LINES} lines, median`, samples.median(CATCH_UP) / 1000, 10),
        judge('seconds until a revoked machine is disconnected, median', samples.median(REVOKED) / 1000, 1),
      ],
      load,
      rounds,
    };
  },
};
