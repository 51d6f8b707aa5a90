/**
 * Memory per live session host: several at once, each with an idle agent (the built-in one, measured separately),
 * without messages and with a long conversation. Compared with bare Node in the same run.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { findAgent } from '@tugdeck/agents/catalog';
import { spawnHost } from '@tugdeck/local/spawn-host';
import { readPrograms } from '@tugdeck/machine/programs';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import { childrenOf, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { HostTap } from '../kit/host-tap.ts';
import { processMemory } from '../kit/process-memory.ts';
import { Product, printed } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { writeConversation } from '../open/long-conversation.ts';

const PROGRAMS = fileURLToPath(new URL('../../../dist/programs.json', import.meta.url));
const EMPTY = 'no messages';
const LONG = '10,000 entries';
const ENTRIES = 10_000;
const AGENT = 'demo';
/** The agent that a host's memory is compared with. */
const REAL_AGENT = 'claude';

interface LiveHost {
  readonly pid: number;
  readonly agents: readonly number[];
  end(): Promise<void>;
}

async function liveHost(
  product: Product,
  { host, agents }: ReturnType<typeof readPrograms>,
  name: string,
  entries: number,
): Promise<LiveHost> {
  const session = randomUUID();
  if (entries > 0) writeConversation(product.data.session(session), { entries, perTurn: 10 });
  const known = findAgent(name);
  if (!known) throw new Error(`no agent ${name}`);
  const { label, protocol } = known;
  const program = agents?.[name];
  const start =
    program === undefined
      ? { command: known.command, args: [...known.args] }
      : { command: process.execPath, args: [program] };
  const address = await spawnHost({
    program: host,
    logs: product.data.logs,
    name: `host-${session}`,
    timeoutMs: 60_000,
    config: {
      dataDirectory: product.sandbox.data,
      runtimeDirectory: product.sandbox.runtime,
      session,
      agent: { name, label, protocol, ...start },
      directory: product.sandbox.project,
      environment: { ...product.environment },
    },
  });
  const { pid } = (await product.host(session)).identity;
  const tap = new HostTap(address);
  await tap.next('protocol_ack');
  let { from } = (await tap.request({ type: 'follow' }, 'snapshot')).snapshot;
  for (let page = 0; page < 3 && from > 0; page++) {
    from = (await tap.request({ type: 'entries', before: from, limit: PAGE }, 'entries')).page.from;
  }
  const ended = () => tap.next('changes', ({ changes }) => changes.some(({ kind }) => kind === 'turn.ended'));
  const turn = ended();
  tap.send({ type: 'command', command: { kind: 'prompt.send', id: randomUUID(), text: 'Say hello.' } });
  await turn;
  return {
    pid,
    agents: childrenOf(pid),
    async end() {
      tap.send({ type: 'end' });
      await waitGone(pid);
      tap.close();
    },
  };
}

async function bareNode(): Promise<number> {
  const bare = spawn(process.execPath, ['-e', "setInterval(() => undefined, 1000); console.log('ready')"]);
  await printed(bare, /ready/);
  const { resident } = processMemory(bare.pid ?? 0);
  bare.kill('SIGKILL');
  await waitFor(() => bare.exitCode !== null || bare.signalCode !== null, { what: 'its end' });
  return resident;
}

export const hosts: Benchmark = {
  name: 'hosts',
  async run({ quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const count = quick ? 2 : 8;
    const product = await Product.prepare();
    try {
      const programs = readPrograms(PROGRAMS);
      const real = await liveHost(product, programs, REAL_AGENT, 0);
      for (const agent of real.agents) {
        const { resident, proportional } = processMemory(agent);
        samples.add('the real agent after a turn, resident', 'MB', resident);
        samples.add('the real agent after a turn, proportional', 'MB', proportional);
      }
      await real.end();
      const live: [string, LiveHost][] = [];
      for (let index = 0; index < count; index++) {
        samples.add('bare Node, resident', 'MB', await bareNode());
        live.push([EMPTY, await liveHost(product, programs, AGENT, 0)]);
        live.push([LONG, await liveHost(product, programs, AGENT, ENTRIES)]);
        log(`${live.length} hosts`);
      }
      for (const [kind, { pid, agents }] of live) {
        const { resident, proportional } = processMemory(pid);
        samples.add(`host, ${kind}, resident`, 'MB', resident);
        samples.add(`host, ${kind}, proportional`, 'MB', proportional);
        for (const agent of agents)
          samples.add('the built-in agent itself, resident', 'MB', processMemory(agent).resident);
      }
      for (const [, host] of live) await host.end();
    } finally {
      await product.close();
    }
    const median = (kind: string) => samples.median(`host, ${kind}, resident`);
    return {
      name: 'hosts',
      about: `memory per live session host, ${count * 2} at once, each with an idle agent after one turn`,
      series: samples.series(),
      judgements: [
        // Resident memory, as a user sees it: the proportional share depends on other processes (decision 0121).
        judge(
          `host with ${EMPTY} against the real agent, resident`,
          median(EMPTY) / samples.median('the real agent after a turn, resident'),
          0.3,
        ),
        judge(`host with ${LONG} against one with ${EMPTY}`, median(LONG) / median(EMPTY), 1.3),
      ],
      load,
      rounds: count,
    };
  },
};
