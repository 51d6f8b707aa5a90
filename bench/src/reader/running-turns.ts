/**
 * Search over our own sessions while turns run: 100 journals of 5,000 entries in the index, and 8 running turns whose
 * text is only in their journals and grows between two searches. Measures the searcher in one process, in wall-clock
 * and in CPU time. `TUGDECK_BENCH_SCALE` is the share of the 100 journals.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLog } from '@tugdeck/local/log';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { openIndex } from '@tugdeck/reader/index-database';
import { Library } from '@tugdeck/reader/library';
import { Searcher } from '@tugdeck/reader/search';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { writeConversation } from '../open/long-conversation.ts';

const SESSIONS = 100;
const ENTRIES = 5_000;
const RUNNING = 8;
const ROUNDS = 10;
/** Words of the journals, a word of running turns only, and their first letters. */
const QUERIES = [
  'parser',
  'p',
  'part 12',
  'npm test',
  'failures',
  'lighthouse',
  'light',
  'nothing else',
  'zzz',
];
const WALL = 'search with running turns';
const CPU = 'search with running turns, CPU time';
/** Nothing was appended since the last one. */
const QUIET = 'search, nothing new, CPU time';

export const runningTurns: Benchmark = {
  name: 'running-turns',
  async run({ quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const scale = Number(process.env.TUGDECK_BENCH_SCALE ?? (quick ? 0.02 : 1));
    const root = mkdtempSync(join(tmpdir(), 'tugdeck-bench-'));
    const data = dataDirectory(root);
    const database = openIndex(join(root, 'search.db'));
    const ids = Array.from({ length: Math.max(RUNNING, Math.round(SESSIONS * scale)) }, () => randomUUID());
    const rows = ids.map((id, at) => ({
      id,
      agent: 'demo',
      directory: '/project',
      title: `Session ${at}`,
      activeAt: at,
      agentSessions: [],
    }));
    const library = new Library({
      data,
      environment: {},
      sources: [],
      database,
      log: openLog({ file: join(root, 'log'), name: 'reader' }),
      send: () => undefined,
      changed: () => undefined,
    });
    try {
      for (const id of ids) writeConversation(data.session(id), { entries: ENTRIES, perTurn: 10 });
      log(`${ids.length} journals of ${ENTRIES} entries`);
      library.updateOwn(rows);
      library.start();
      while (library.state().unread > 0) await delay(50);
      log('indexed');
      const turns = ids.slice(0, RUNNING).map((id) => new RunningTurn(data.session(id)));
      const searcher = new Searcher({
        database,
        data,
        files: library.files,
        live: library.live,
        sourceOf: () => undefined,
        isShown: () => true,
        unread: () => 0,
        now: Date.now,
      });
      const measure = (query: string, wall: string | undefined, cpu: string) => {
        const [at, before] = [performance.now(), process.cpuUsage()];
        const { hits } = searcher.search(searchSchema.parse({ query, limit: 40 }));
        const used = process.cpuUsage(before);
        if (wall !== undefined) samples.add(wall, 'ms', performance.now() - at);
        samples.add(cpu, 'ms', (used.user + used.system) / 1_000);
        return hits.length;
      };
      library.updateOwn(rows.map((row, at) => ({ ...row, running: at < RUNNING })));
      for (let round = 0; round < ROUNDS; round++) {
        for (const query of QUERIES) {
          for (const turn of turns) turn.grow(`The lighthouse of round ${round} is lit for ${query}. `);
          measure(query, WALL, CPU);
          measure(query, undefined, QUIET);
        }
      }
      if (measure('lighthouse', undefined, QUIET) === 0) throw new Error('the running turns were not found');
      for (const turn of turns) turn.close();
      return {
        name: 'running-turns',
        about: `search over ${ids.length} journals of ${ENTRIES} entries with ${RUNNING} running turns`,
        series: samples.series(),
        judgements: [judge('search with running turns, p95, ms', samples.p95(WALL), 50)],
        load,
        rounds: 1,
      };
    } finally {
      await library.stop();
      database.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
};

/** A turn whose answer grows in the journal, as the host writes it every 250 ms. */
class RunningTurn {
  readonly #writer;
  #length = 0;

  constructor(directory: Parameters<typeof openJournal>[0]) {
    const { writer, state } = openJournal(directory, { now: Date.now });
    const entry = { id: 'running', kind: 'text', status: 'partial', text: '' } as const;
    const change: Change = { kind: 'entry.opened', entry, v: state.v + 1, at: Date.now() };
    writer.append([change], fold(state, change));
    this.#writer = writer;
  }

  grow(text: string): void {
    this.#writer.checkpoint([{ entry: 'running', field: 'text', at: this.#length, text }]);
    this.#length += text.length;
  }

  close(): void {
    this.#writer.close();
  }
}
