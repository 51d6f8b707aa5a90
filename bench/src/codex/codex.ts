/**
 * Codex by its own protocol against its adapter: from the start of the process until it accepts a prompt, and the memory
 * of all its processes after a turn, with the real programs; and lines per second through driver and fold.
 */
import { randomUUID } from 'node:crypto';
import { findAgent } from '@tugdeck/agents/catalog';
import { codexReplay } from '@tugdeck/drivers/codex/replay-parts';
import { ContractSink } from '@tugdeck/drivers/kit/contract';
import { driverFor } from '@tugdeck/drivers/known-drivers';
import { createLineReader } from '@tugdeck/local/lines';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { trim } from '@tugdeck/protocol/conversation/window';
import { launchOf, openAgentWorld } from '@tugdeck/testkit/agent-world';
import type { OtherAgent } from '@tugdeck/testkit/agents';
import { createSandbox } from '@tugdeck/testkit/temp';
import { processMemory } from '../kit/process-memory.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { serverLines } from './server-lines.ts';

const GOAL = 30_000;
const TURNS = 150;
const CHUNK = 64 * 1024;
const [TRIM_AT, KEPT] = [512, 256];

function throughFold(bytes: Buffer): Conversation {
  const run = codexReplay.run('bench', NO_USAGE);
  let state: Conversation = EMPTY;
  let now = 0;
  const reader = createLineReader(16 * 1024 * 1024, {
    line(text) {
      now += 1;
      for (const output of run.take(JSON.parse(text))) {
        if (output.kind === 'live') state = foldAppend(state, output);
        else state = fold(state, { ...output, v: state.v + 1, at: now } as Change);
      }
      if (state.nextSeq - state.from > TRIM_AT) state = trim(state, KEPT);
    },
    overlong: () => {
      throw new Error('a line was too long');
    },
  });
  for (let at = 0; at < bytes.length; at += CHUNK) reader.push(bytes.subarray(at, at + CHUNK));
  reader.end();
  return state;
}

/** Short-lived helper processes may have exited. */
function memoryOf(pid: number): number {
  try {
    return processMemory(pid).proportional || 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}

/** One separate session, with a home directory that was used before. */
async function session(agent: OtherAgent): Promise<{ readonly ms: number; readonly megabytes: number }> {
  const sandbox = await createSandbox({});
  const world = await openAgentWorld(agent, sandbox);
  const { command, args, environment } = launchOf(agent);
  const driver = driverFor(findAgent(agent)?.protocol ?? '');
  const one = async (): Promise<{ ms: number; megabytes: number }> => {
    const sink = new ContractSink();
    const since = performance.now();
    const live = driver.start(
      {
        command,
        args,
        directory: sandbox.project,
        environment: { ...world.environment, ...environment },
        session: { kind: 'new', id: randomUUID() },
        maxLine: 16 * 1024 * 1024,
      },
      sink,
    );
    await sink.until('it was ready', (seen) => seen.isReady);
    const ms = performance.now() - since;
    const id = randomUUID();
    sink.send(live, { id, text: 'SCN:text' });
    await sink.until('the end of the turn', ({ state }) => state.turn === null);
    const megabytes = sandbox.strays().reduce((sum, pid) => sum + memoryOf(pid), 0);
    live.end();
    await sink.until('its exit', ({ exit }) => exit !== undefined);
    return { ms, megabytes };
  };
  try {
    await one();
    return await one();
  } finally {
    await world.fake.close();
    await sandbox.dispose();
  }
}

export const codex: Benchmark = {
  name: 'codex',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const { bytes, lines } = serverLines(TURNS);
    log(`${lines} lines, ${Math.round(bytes.length / 1024)} KB`);
    const { nextSeq, unrecognized } = throughFold(bytes);
    if (nextSeq < TURNS || unrecognized.count > 0)
      throw new Error(`${nextSeq} entries, ${unrecognized.count} not known`);
    for (let round = 0; round < rounds; round++) {
      const before = process.cpuUsage();
      throughFold(bytes);
      const { user, system } = process.cpuUsage(before);
      samples.add('through driver and fold', 'lines per second', lines / ((user + system) / 1e6));
      for (const agent of ['codex', 'codex-acp'] as const) {
        const { ms, megabytes } = await session(agent);
        samples.add(`${agent}: until it accepts a prompt`, 'ms', ms);
        samples.add(`${agent}: memory after a turn`, 'MB', megabytes);
      }
    }
    const ratio = (what: string): number =>
      samples.median(`codex: ${what}`) / samples.median(`codex-acp: ${what}`);
    return {
      name: 'codex',
      about: 'Codex by its own protocol against its adapter, and its lines through driver and fold',
      series: samples.series(),
      judgements: [
        judge(
          '30,000 lines per second against throughput',
          GOAL / samples.median('through driver and fold'),
          1,
        ),
        judge('start against the adapter', ratio('until it accepts a prompt'), 1),
        judge('memory against the adapter', ratio('memory after a turn'), 1),
      ],
      load,
      rounds,
    };
  },
};
