/**
 * The conversation card under load: page memory by the length of a conversation and after hours of answers, typing
 * while sessions stream, and a reload that renders from IndexedDB.
 */
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { seedDeck } from '../open/seeded-deck.ts';
import { measureHours } from './hours.ts';
import { IDLE, measureTyping, STREAMING } from './typing.ts';

const SMALL = '200 entries';
const LARGE = '100,000 entries';
const RELOAD = 'cached reload, to the first entry';
const FIRST_RELOAD = 'first reload, to the first entry';
const SWITCH = 'switch to an open card';
const FRESH = 'fresh load, to the first entry';

export const card: Benchmark = {
  name: 'card',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const deck = await seedDeck({
      [SMALL]: { entries: 200, perTurn: 10 },
      [LARGE]: { entries: 100_000, perTurn: 10 },
    });
    try {
      for (let round = 0; round < rounds; round += 1) {
        for (const name of [SMALL, LARGE]) {
          const seen = await deck.measure(name);
          samples.add(`nodes: ${name}`, '', seen.nodes);
          samples.add(`heap: ${name}`, 'MB', seen.heapMB);
          samples.add(RELOAD, 'ms', seen.reloadMs);
          samples.add('part until the document arrives', 'ms', seen.parts.html);
          samples.add('part until our code runs', 'ms', seen.parts.code);
          samples.add('part until IndexedDB has answered', 'ms', seen.parts.store);
          samples.add('reload of a single image', 'ms', seen.floorMs);
          samples.add(FIRST_RELOAD, 'ms', seen.firstReloadMs);
          samples.add(FRESH, 'ms', seen.freshMs);
          samples.add(SWITCH, 'ms', seen.switchMs);
        }
        log(`by length, round ${round + 1}`);
      }
    } finally {
      await deck.product.close();
    }
    await measureTyping(samples, rounds);
    log('typing');
    const { first, last } = await measureHours(quick ? 1 : 6);
    samples.add('heap after ten minutes', 'MB', first.heapMB);
    samples.add('heap after two hours', 'MB', last.heapMB);
    samples.add('nodes after two hours', '', last.nodes);
    const ratio = (what: string, other: string) => samples.median(what) / samples.median(other);
    return {
      name: 'card',
      about: 'the conversation card: memory, typing, reloading',
      series: samples.series(),
      judgements: [
        judge('nodes: 100,000 entries against 200', ratio(`nodes: ${LARGE}`, `nodes: ${SMALL}`), 1.2),
        judge('heap: 100,000 entries against 200', ratio(`heap: ${LARGE}`, `heap: ${SMALL}`), 1.2),
        judge('heap: after two hours against after ten minutes', last.heapMB / first.heapMB, 1.2),
        judge(
          'typing, p95: three sessions streaming against idle',
          samples.p95(STREAMING) / samples.p95(IDLE),
          1.5,
        ),
        judge('switching to an open card against a fresh load', ratio(SWITCH, FRESH), 0.2),
        judge('cached reload to the first entry, median in ms', samples.median(RELOAD), 200),
      ],
      load,
      rounds,
    };
  },
};
