/**
 * The absolute figures of X7, each over many runs. They are valid only for the machine that they were measured on;
 * the other benchmarks use ratios.
 */
import { timeFirstToken } from './first-token.ts';
import { Product } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';
import { WordStream } from './latency/word-stream.ts';
import { seedDeck } from './open/seeded-deck.ts';
import { ResyncRig } from './resync.ts';

const START = 'start, to the address';
const FIRST_WORD = 'first word, published → DOM';
const OPENING = 'open 2,000 entries, click → last entry';
const CACHED = 'cached conversation, click → last entry';
const RESYNC = 'resync after a server restart';
const FIRST_TOKEN = 'new session, Enter → first word';
const AGENT_OWN = 'part of the agent itself';
const AFTER_AGENT = 'part after the agent';

/** Milliseconds. */
const GOALS: Readonly<Record<string, number>> = {
  [START]: 1_500,
  [FIRST_WORD]: 250,
  [OPENING]: 500,
  [CACHED]: 200,
  [RESYNC]: 2_000,
  [FIRST_TOKEN]: 2_000,
};

export const absolutes: Benchmark = {
  name: 'absolutes',
  async run({ runs, log }) {
    const load = machineLoad();
    const samples = new Samples();
    await measureStartAndOpening(samples, runs);
    log('start, opening');
    await measureFirstWord(samples, runs);
    log('first word');
    await measureResync(samples, runs);
    log('resync');
    await measureFirstToken(samples, runs);
    return {
      name: 'absolutes',
      about: 'the absolute figures of X7, on this machine only',
      series: samples.series(),
      judgements: Object.entries(GOALS).map(([name, goal]) =>
        judge(`${name}, p95 in ms`, samples.p95(name), goal),
      ),
      load,
      rounds: runs,
    };
  },
};

async function measureStartAndOpening(samples: Samples, runs: number): Promise<void> {
  const name = '2,000 entries';
  const deck = await seedDeck({ [name]: { entries: 2_000, perTurn: 10 } });
  try {
    for (let run = 0; run < runs; run++) {
      await deck.product.stop();
      const started = performance.now();
      await deck.product.start();
      samples.add(START, 'ms', performance.now() - started);
      const { first, again } = await deck.timeOpening(name);
      samples.add(OPENING, 'ms', first);
      samples.add(CACHED, 'ms', again);
    }
  } finally {
    await deck.product.close();
  }
}

async function measureFirstWord(samples: Samples, runs: number): Promise<void> {
  const stream = await WordStream.open();
  try {
    for (let run = 0; run < runs; run++) {
      const { words } = await stream.run(2, 50);
      const [first] = words;
      if (first) samples.add(FIRST_WORD, 'ms', first.drawn - first.published);
    }
  } finally {
    await stream.close();
  }
}

async function measureResync(samples: Samples, runs: number): Promise<void> {
  const rig = await ResyncRig.open();
  try {
    for (let run = 0; run < runs; run++) samples.add(RESYNC, 'ms', (await rig.run()).ms);
  } finally {
    await rig.close();
  }
}

async function measureFirstToken(samples: Samples, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const product = await Product.prepare();
    try {
      await product.start();
      const { ms, agentMs, afterAgentMs } = await timeFirstToken(product);
      samples.add(FIRST_TOKEN, 'ms', ms);
      samples.add(AGENT_OWN, 'ms', agentMs);
      samples.add(AFTER_AGENT, 'ms', afterAgentMs);
    } finally {
      await product.close();
    }
  }
}
