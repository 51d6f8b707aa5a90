/** From the agent's line to the change in the DOM, hop by hop, compared with one animation frame of the same page. */
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { type Hops, WordStream } from './word-stream.ts';

/** Not a multiple of a frame, so that words fall on every phase of it. */
const EVERY_MS = 43;
const WORDS = 120;
const FRAMES = 120;
const FRAME_MS = 1_000 / 60;
const FLOOR_DROPS_PERCENT = 2;

const HOPS: Readonly<Record<string, (hops: Hops) => number>> = {
  'line read by the host → DOM': ({ read, drawn }) => drawn - read,
  'hop: host reads → host published': ({ read, published }) => published - read,
  'hop: published → page received': ({ published, received }) => received - published,
  'hop: received → DOM': ({ received, drawn }) => drawn - received,
};
const TOTAL = Object.keys(HOPS)[0] ?? '';
const FRAME = 'one animation frame, idle';

export const latency: Benchmark = {
  name: 'latency',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const stream = await WordStream.open();
    let dropped = 0;
    let frames = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        const intervals = await stream.idleFrames(FRAMES);
        samples.add(FRAME, 'ms', ...intervals);
        frames += intervals.length;
        dropped += intervals.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / FRAME_MS) - 1), 0);
        const { words } = await stream.run(quick ? WORDS / 2 : WORDS, EVERY_MS);
        for (const [name, time] of Object.entries(HOPS)) samples.add(name, 'ms', ...words.map(time));
        log(
          `round ${round + 1}: ${words.length} words, median so far ${samples.median(TOTAL).toFixed(1)} ms`,
        );
      }
    } finally {
      await stream.close();
    }
    const floorDrops = (dropped / (frames + dropped)) * 100;
    const isBusy = floorDrops > FLOOR_DROPS_PERCENT;
    return {
      name: 'latency',
      about: 'from the agent’s line to the DOM, one delta every 43 ms',
      series: samples.series(),
      judgements: [judge('median, in animation frames', samples.median(TOTAL) / samples.median(FRAME), 1.5)],
      ...(isBusy ? { unjudged: `the idle page dropped ${floorDrops.toFixed(1)} % of its frames` } : {}),
      load,
      rounds,
    };
  },
};
