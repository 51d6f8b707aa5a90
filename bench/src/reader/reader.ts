/**
 * The reader under a corpus of real size: 10,000 transcripts of one agent and 2,000 of another. How soon the newest rows are
 * on the page, how long the server's event loop is held meanwhile, against the same server at rest, what the reader
 * needs, how soon an appended line is seen, what a search takes, and what is read again after a restart.
 * `TUGDECK_BENCH_SCALE` is the share of the corpus: all, unless told. `TUGDECK_BENCH_CORPUS` names a folder where it is
 * kept for the next run.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { foreignId } from '@tugdeck/local/foreign-id';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { askServer, findServer } from '@tugdeck/server/control/control-client';
import type { TestPage } from '@tugdeck/testkit/browser';
import { COMMON, type Corpus, RARE, writeCorpus } from '@tugdeck/testkit/session-corpus';
import { Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { LoopHolds } from './loop-holds.ts';
import { giveProductACore } from './own-core.ts';
import { readerPeak, readerTime, wholeIndex } from './reader-watch.ts';

const MB = 1024 * 1024;
const REST_MS = 5_000;
/** Words as they are typed, letter by letter, common and rare, and some at once. */
const QUERIES = [
  ...typed(RARE),
  ...typed(COMMON),
  ...typed('garden fence'),
  'lantern',
  'carpet engine',
  'Done with 1',
  'Task 12',
  'su',
];
const ROWS = 'page opened → first rows of other programs';
const APPENDED = 'line appended → on the page';
const SEARCH = 'search';
const WHILE_INDEXING = 'search while the index is made';

function typed(text: string): string[] {
  return Array.from(text, (_, at) => text.slice(0, at + 1));
}

interface Kept {
  readonly home: string;
  readonly project: string;
  /** What was written there. */
  readonly note: string;
}

function keptPlace(): Kept | undefined {
  const root = process.env.TUGDECK_BENCH_CORPUS;
  if (root === undefined) return undefined;
  const kept = { home: join(root, 'h'), project: join(root, 'p'), note: join(root, 'corpus.json') };
  for (const folder of [kept.home, kept.project]) mkdirSync(folder, { recursive: true });
  return kept;
}

function corpusOf({ home, project }: Product['sandbox'], scale: number, note: string | undefined): Corpus {
  if (note !== undefined && existsSync(note)) {
    const corpus = JSON.parse(readFileSync(note, 'utf8')) as Corpus;
    // Without what an earlier run appended.
    for (const { path, bytes } of corpus.large) truncateSync(path, bytes);
    return corpus;
  }
  const corpus = writeCorpus({
    home,
    directories: [project, join(project, 'inner')],
    claude: Math.round(10_000 * scale),
    codex: Math.round(2_000 * scale),
    large: [MB, 15 * MB, Math.max(20, 600 * Math.min(1, scale * 10)) * MB],
  });
  if (note !== undefined) writeFileSync(note, JSON.stringify(corpus));
  return corpus;
}

export const reader: Benchmark = {
  name: 'reader',
  async run({ quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const scale = Number(process.env.TUGDECK_BENCH_SCALE ?? (quick ? 0.01 : 1));
    const kept = keptPlace();
    const product = await Product.prepare({}, kept);
    const loop = new LoopHolds(product);
    try {
      await giveProductACore();
      await product.start(loop.environment);
      const rested = Date.now();
      await delay(REST_MS);
      const rest = loop.longest(rested, Date.now());
      await product.stop();
      const corpus = corpusOf(product.sandbox, scale, kept?.note);
      log(`${corpus.files} files, ${Math.round(corpus.bytes / MB)} MB`);

      const began = Date.now();
      await product.start(loop.environment);
      const first = await firstRows(product, samples);
      await first.close();
      const searched = searches(product, samples, WHILE_INDEXING, 1);
      await wholeIndex(product, corpus.files, 3_600_000);
      await searched;
      samples.add('index whole after', 's', (Date.now() - began) / 1000);
      samples.add('reader, most memory', 'MB', readerPeak(product));
      log('indexed');

      await searches(product, samples, SEARCH, 3);
      const page = await firstRows(product, samples);
      await measureAppended(page, corpus, samples);
      await page.close();
      await product.stop();
      await product.start(loop.environment);
      await (await firstRows(product, samples)).close();
      const again = await wholeIndex(product, corpus.files, 600_000);
      samples.add('files read again after a restart', 'files', again.read);
      const busy = loop.longest(began, Date.now());
      samples.add("longest hold of the server's event loop, less what others took", 'ms', busy.held);
      samples.add('the same at rest', 'ms', rest.held);
      samples.add("longest hold of the server's event loop by the clock", 'ms', busy.passed);
      samples.add('the same by the clock, at rest', 'ms', rest.passed);
      return {
        name: 'reader',
        about: `sessions made elsewhere: ${corpus.files} files of ${Math.round(corpus.bytes / MB)} MB`,
        series: samples.series(),
        judgements: [
          judge("hold of the server's event loop, ms", busy.held, 20),
          judge('most memory of the reader, MB', samples.median('reader, most memory'), 300),
          judge('first rows on the page, ms', samples.median(ROWS), 1_000),
          judge('appended line on the page, ms', samples.median(APPENDED), 1_000),
          judge('search as you type, p95, ms', samples.p95(SEARCH), 50),
          // The one that a line was appended to may be read once more.
          judge('files read again after a restart', again.read, 1),
        ],
        load,
        rounds: 1,
      };
    } finally {
      await product.close();
    }
  },
};

/** A fresh page until it shows rows: the newest session's among them. */
async function firstRows(product: Product, samples: Samples): Promise<TestPage> {
  const opened = await product.page(noteFirstRow);
  await opened.page.locator('.session[data-origin="foreign"]').first().waitFor();
  const at = await opened.page.waitForFunction(() => (window as { firstRowAt?: number }).firstRowAt);
  samples.add(ROWS, 'ms', (await at.jsonValue()) ?? 0);
  return opened;
}

/** In the page: when it has drawn the first of them, since it was called up. */
function noteFirstRow(): void {
  const look = () => {
    const isThere = document.querySelector('.session[data-origin="foreign"]') !== null;
    if (isThere) Object.assign(window, { firstRowAt: performance.now() });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function measureAppended({ page }: TestPage, corpus: Corpus, samples: Samples): Promise<void> {
  const [small] = corpus.large;
  if (!small) throw new Error('the corpus has no large ones');
  await page.evaluate(
    (id) => {
      location.hash = `#/session/${id}`;
    },
    foreignId('claude', small.session),
  );
  await page.locator('article[data-entry-kind="text"]:visible').last().waitFor();
  let last = JSON.parse(readFileSync(small.path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}');
  for (let round = 0; round < 5; round++) {
    const text = `Appended now ${round}`;
    const uuid = `ffffffff-0000-4000-8000-00000000000${round}`;
    last = { ...last, uuid, parentUuid: last.uuid, type: 'user', message: { role: 'user', content: text } };
    const since = performance.now();
    appendFileSync(small.path, `${JSON.stringify(last)}\n`);
    await page.locator('article').getByText(text).first().waitFor();
    samples.add(APPENDED, 'ms', performance.now() - since);
  }
}

async function searches(product: Product, samples: Samples, name: string, rounds: number): Promise<void> {
  const server = findServer(product.data.ledger);
  if (!server) throw new Error('no server');
  const used = readerTime(product);
  for (let round = 0; round < rounds; round++) {
    for (const query of QUERIES) {
      const search = searchSchema.parse({ query, limit: 40 });
      const [at, before] = [performance.now(), used()];
      await askServer(server, { type: 'search', search });
      samples.add(name, 'ms', performance.now() - at);
      samples.add(`${name}, the reader's own time`, 'ms', used() - before);
    }
  }
}
