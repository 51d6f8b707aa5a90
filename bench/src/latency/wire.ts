/** Bytes of a delta on the page's socket, compared with the agent's own line, slow and in bursts. */
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { WordStream } from './word-stream.ts';

const PACES = [
  { name: 'a delta every 43 ms', delayMs: 43, words: 60 },
  { name: 'a delta every 2 ms', delayMs: 2, words: 600 },
];

export const wire: Benchmark = {
  name: 'wire',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const stream = await WordStream.open();
    try {
      for (let round = 0; round < rounds; round++) {
        for (const { name, delayMs, words: count } of PACES) {
          const { words, frames, frameBytes } = await stream.run(count, delayMs);
          const agentBytes = words.reduce((sum, word) => sum + word.agentBytes, 0);
          samples.add(`agent, ${name}`, 'bytes per delta', agentBytes / words.length);
          samples.add(`page, ${name}`, 'bytes per delta', frameBytes / words.length);
          samples.add(`page, ${name}: frames`, 'frames per delta', frames / words.length);
        }
        log(`round ${round + 1}`);
      }
    } finally {
      await stream.close();
    }
    return {
      name: 'wire',
      about: 'bytes of a delta of eight characters',
      series: samples.series(),
      judgements: PACES.map(({ name }) =>
        judge(
          `page against agent, ${name}`,
          samples.median(`page, ${name}`) / samples.median(`agent, ${name}`),
          1,
        ),
      ),
      load,
      rounds,
    };
  },
};
