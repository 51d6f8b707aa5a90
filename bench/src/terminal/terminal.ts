/**
 * A flood through the whole stack (PTY, terminal host, server, WebSocket, page), compared with node-pty and the
 * library alone, and with a page that renders nothing; lost lines; the delay of Ctrl+C during it; and its effect on
 * the frames of a conversation beside it.
 */
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { PlainTerminal } from './plain-terminal.ts';
import { ProductTerminal } from './product-terminal.ts';

const OURS = 'whole stack';
const PLAIN = 'node-pty → xterm.js';
const RAW = 'node-pty → WebSocket, nothing rendered';
const IDLE = 'frame of a conversation';
const FLOODED = 'frame of a conversation beside yes';
const FRAME_MS = 1_000 / 60;
/** If a conversation drops more frames without a flood, the figures with a flood prove nothing. */
const FLOOR_DROPS_PERCENT = 10;
/** Bytes of the flood that have passed when the key is pressed. */
const FLOWING = 4 * 1024 * 1024;

export const terminal: Benchmark = {
  name: 'terminal',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const most = quick ? 300_000 : 2_000_000;
    const bytes = sizeOf(most);
    const ours = await ProductTerminal.open();
    const { size, product } = ours;
    log(`${size.cols} × ${size.rows}, ${(bytes / 1e6).toFixed(1)} MB`);
    const options = { size, directory: product.sandbox.project, environment: product.environment };
    const plain = await PlainTerminal.open('drawn', options);
    const raw = await PlainTerminal.open('counted', options);
    const add = (name: string, ms: number) => {
      samples.add(name, 'MB/s', bytes / 1_000 / ms);
      return ms;
    };
    const times = new Samples();
    try {
      // The scrollback limit, and one line more from the end.
      const { lines, missing } = await ours.count(most, [most, most - 5_000, most - 9_990]);
      log(`${lines} of ${most} lines arrived, ${missing} of the kept ones were not found`);
      const line = `seq 1 ${most}`;
      for (let round = 0; round < rounds; round++) {
        times.add(OURS, 'ms', add(OURS, await ours.run(line)));
        times.add(PLAIN, 'ms', add(PLAIN, (await plain.run(line)).ms));
        times.add(RAW, 'ms', add(RAW, (await raw.run(line)).ms));
        for (let time = 0; time < 4; time++) {
          samples.add('Ctrl+C during yes', 'ms', await ours.interrupt('yes', FLOWING));
        }
        const span = quick ? 3_000 : 10_000;
        const idle = await ours.frames(span, undefined);
        const flooded = await ours.frames(span, 'yes');
        samples.add(IDLE, 'ms', mean(idle));
        samples.add(FLOODED, 'ms', mean(flooded));
        times.add('dropped', '%', droppedPercent(idle));
        log(
          `round ${round + 1}: ${[OURS, PLAIN, RAW].map((name) => times.median(name).toFixed(0)).join(' / ')} ms, Ctrl+C ${samples.median('Ctrl+C during yes').toFixed(0)} ms, frames ${mean(idle).toFixed(1)} / ${mean(flooded).toFixed(1)} ms`,
        );
      }
      const floorDrops = times.median('dropped');
      return {
        name: 'terminal',
        about: `seq 1 ${most} into a terminal, against node-pty and xterm.js alone`,
        series: samples.series(),
        judgements: [
          // At least 0.7 times their throughput.
          judge('time against node-pty → xterm.js', times.median(OURS) / times.median(PLAIN), 1.43),
          judge('lines lost in the flood', most - lines + missing, 0),
          judge('Ctrl+C during yes, ms (p95)', samples.p95('Ctrl+C during yes'), 100),
          // Compared with the best round without it, so that other load on the machine does not improve our
          // result.
          judge('frame beside yes against idle', samples.median(FLOODED) / samples.least(IDLE), 1.5),
        ],
        ...(floorDrops > FLOOR_DROPS_PERCENT
          ? { unjudged: `the conversation alone dropped ${floorDrops.toFixed(1)} % of its frames` }
          : {}),
        load,
        rounds,
      };
    } finally {
      await raw.close();
      await plain.close();
      await ours.close();
    }
  },
};

/** Number of bytes that `seq 1 most` writes to a terminal. */
function sizeOf(most: number): number {
  let bytes = 0;
  for (let digits = 1, from = 1; from <= most; digits++, from *= 10) {
    bytes += (Math.min(most, from * 10 - 1) - from + 1) * (digits + 2);
  }
  return bytes;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function droppedPercent(intervals: readonly number[]): number {
  const dropped = intervals.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / FRAME_MS) - 1), 0);
  return (dropped / (intervals.length + dropped)) * 100;
}
