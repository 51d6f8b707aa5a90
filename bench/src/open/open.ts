/**
 * Opening a conversation by its length: reading the journal, starting a real host on it, and the browser from the
 * click to the last entry. Entries before the last page must not matter, in one turn or in ten thousand.
 */
import { diskFiles, type SegmentFiles } from '@tugdeck/journal/files';
import { readTail } from '@tugdeck/journal/reader';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { measureHost } from './host-memory.ts';
import type { Shape } from './long-conversation.ts';
import { seedDeck } from './seeded-deck.ts';

const SMALL = '200 entries';
const MIDDLE = '10,000 entries';
const ONE_TURN = '100,000 in one turn';
const MANY_TURNS = '100,000 in 10,000 turns';
const SHAPES: Readonly<Record<string, Shape>> = {
  [SMALL]: { entries: 200, perTurn: 10 },
  [MIDDLE]: { entries: 10_000, perTurn: 10 },
  [ONE_TURN]: { entries: 100_000, perTurn: 100_000 },
  [MANY_TURNS]: { entries: 100_000, perTurn: 10 },
};

function countBytes(): SegmentFiles & { bytes: number } {
  const counting = {
    ...diskFiles,
    bytes: 0,
    read(file: string, start: number, length: number): Buffer {
      const read = diskFiles.read(file, start, length);
      counting.bytes += read.length;
      return read;
    },
  };
  return counting;
}

export const open: Benchmark = {
  name: 'open',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const deck = await seedDeck(SHAPES);
    log('conversations written');
    try {
      for (let round = 0; round < rounds; round++) {
        for (const [name, session] of Object.entries(deck.sessions)) {
          const files = countBytes();
          const started = performance.now();
          readTail(deck.product.data.session(session), { files });
          samples.add(`journal: ${name}`, 'ms', performance.now() - started);
          samples.add(`journal read: ${name}`, 'KB', files.bytes / 1024);
          const host = await measureHost(deck.product, session);
          samples.add(`host ready: ${name}`, 'ms', host.readyMs);
          samples.add(`host memory: ${name}`, 'MB', host.megabytes);
          samples.add(`browser: ${name}`, 'ms', (await deck.timeOpening(name)).first);
        }
        log(`round ${round + 1}`);
      }
    } finally {
      await deck.product.close();
    }
    const against = (what: string, name: string, other: string, goal: number) =>
      judge(
        `${what}: ${name} against ${other}`,
        samples.median(`${what}: ${name}`) / samples.median(`${what}: ${other}`),
        goal,
      );
    return {
      name: 'open',
      about: 'opening a conversation by its length',
      series: samples.series(),
      judgements: [
        against('browser', ONE_TURN, SMALL, 1.3),
        against('browser', MANY_TURNS, SMALL, 1.3),
        against('journal', ONE_TURN, SMALL, 1.3),
        against('journal', MANY_TURNS, SMALL, 1.3),
        against('host ready', ONE_TURN, SMALL, 1.3),
        against('host ready', MANY_TURNS, SMALL, 1.3),
        against('host memory', ONE_TURN, MIDDLE, 1.1),
        against('host memory', MANY_TURNS, MIDDLE, 1.1),
      ],
      load,
      rounds,
    };
  },
};
