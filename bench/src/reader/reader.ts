/**
 * The reader with a realistic corpus: 10,000 transcripts of one agent and 2,000 of another. Measures how soon the
 * newest rows are on the page, how long the server's event loop is blocked during that time and when idle, the
 * reader's memory, how soon an appended line is visible, how long a search takes, and how much is read again after a
 * restart. `TUGDECK_BENCH_SCALE` is the share of the corpus, 1 by default. `TUGDECK_BENCH_CORPUS` names a folder that
 * keeps it for the next run.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { externalId } from '@tugdeck/local/external-id';
import { searchSchema } from '@tugdeck/protocol/search/search';
import type { TestPage } from '@tugdeck/testkit/browser';
import { COMMON, type Corpus, RARE, writeCorpus } from '@tugdeck/testkit/session-corpus';
import { Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { pinBrowser } from './browser-core.ts';
import { LoopBlocks } from './loop-blocks.ts';
import { readerPeak, readerTime, waitForIndex } from './reader-watch.ts';

const MB = 1024 * 1024;
const REST_MS = 5_000;
/** Queries typed letter by letter: common words, rare words, several at once. */
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
const ROWS = 'page opened → first external sessions';
const APPENDED = 'line appended → on the page';
const SEARCH = 'search';
const WHILE_INDEXING = 'search during indexing';

function typed(text: string): string[] {
  return Array.from(text, (_, at) => text.slice(0, at + 1));
}

interface Kept {
  readonly home: string;
  readonly project: string;
  /** The text that was appended. */
  readonly note: string;
}

function keptCorpus(): Kept | undefined {
  const root = process.env.TUGDECK_BENCH_CORPUS;
  if (root === undefined) return undefined;
  const kept = { home: join(root, 'h'), project: join(root, 'p'), note: join(root, 'corpus.json') };
  for (const folder of [kept.home, kept.project]) mkdirSync(folder, { recursive: true });
  return kept;
}

function corpusOf({ home, project }: Product['sandbox'], scale: number, note: string | undefined): Corpus {
  if (note !== undefined && existsSync(note)) {
    const corpus = JSON.parse(readFileSync(note, 'utf8')) as Corpus;
    // Removes lines that an earlier run appended.
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
    const kept = keptCorpus();
    const product = await Product.prepare({}, kept);
    const loop = new LoopBlocks(product);
    try {
      await pinBrowser();
      await product.start(loop.environment);
      const idleSince = Date.now();
      await delay(REST_MS);
      const rest = loop.longest(idleSince, Date.now());
      await product.stop();
      const corpus = corpusOf(product.sandbox, scale, kept?.note);
      log(`${corpus.files} files, ${Math.round(corpus.bytes / MB)} MB`);

      const began = Date.now();
      await product.start(loop.environment);
      const first = await firstRows(product, samples);
      await first.close();
      const searched = searches(product, samples, WHILE_INDEXING, 1);
      await waitForIndex(product, corpus.files, 3_600_000);
      await searched;
      samples.add('index complete after', 's', (Date.now() - began) / 1000);
      samples.add('reader, peak memory', 'MB', readerPeak(product));
      log('indexed');

      await searches(product, samples, SEARCH, 3);
      const page = await firstRows(product, samples);
      await measureAppended(page, corpus, samples);
      await page.close();
      await product.stop();
      await product.start(loop.environment);
      await (await firstRows(product, samples)).close();
      const again = await waitForIndex(product, corpus.files, 600_000);
      samples.add('files read again after a restart', 'files', again.read);
      const busy = loop.longest(began, Date.now());
      samples.add("longest block of the server's event loop, without waiting for a core", 'ms', busy.blocked);
      samples.add('the same, idle', 'ms', rest.blocked);
      samples.add("longest block of the server's event loop in wall-clock time", 'ms', busy.passed);
      samples.add('the same in wall-clock time, idle', 'ms', rest.passed);
      return {
        name: 'reader',
        about: `external sessions: ${corpus.files} files of ${Math.round(corpus.bytes / MB)} MB`,
        series: samples.series(),
        judgements: [
          judge("longest block of the server's event loop, ms", busy.blocked, 20),
          judge('peak memory of the reader, MB', samples.median('reader, peak memory'), 300),
          judge('first rows on the page, ms', samples.median(ROWS), 1_000),
          judge('appended line on the page, ms', samples.median(APPENDED), 1_000),
          judge('search as you type, p95, ms', samples.p95(SEARCH), 50),
          // The file with the appended line may be read once more.
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

/** Opens a fresh page and waits until it shows rows, including the newest session. */
async function firstRows(product: Product, samples: Samples): Promise<TestPage> {
  const opened = await product.page(noteFirstRow);
  await opened.page.locator('.session[data-origin="foreign"]').first().waitFor();
  const at = await opened.page.waitForFunction(() => (window as { firstRowAt?: number }).firstRowAt);
  samples.add(ROWS, 'ms', (await at.jsonValue()) ?? 0);
  return opened;
}

/** Runs in the page: when the first row was rendered, since navigation. */
function noteFirstRow(): void {
  const check = () => {
    const isThere = document.querySelector('.session[data-origin="foreign"]') !== null;
    if (isThere) Object.assign(window, { firstRowAt: performance.now() });
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
}

async function measureAppended({ page }: TestPage, corpus: Corpus, samples: Samples): Promise<void> {
  const [large] = corpus.large;
  if (!large) throw new Error('the corpus has no large files');
  await page.evaluate(
    (id) => {
      location.hash = `#/session/${id}`;
    },
    externalId('claude', large.session),
  );
  await page.locator('article[data-entry-kind="text"]:visible').last().waitFor();
  let last = JSON.parse(readFileSync(large.path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}');
  for (let round = 0; round < 5; round++) {
    const text = `Appended now ${round}`;
    const uuid = `ffffffff-0000-4000-8000-00000000000${round}`;
    last = { ...last, uuid, parentUuid: last.uuid, type: 'user', message: { role: 'user', content: text } };
    const since = performance.now();
    appendFileSync(large.path, `${JSON.stringify(last)}\n`);
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
      await requestServer(server, { type: 'search', search });
      samples.add(name, 'ms', performance.now() - at);
      samples.add(`${name}, the reader's own time`, 'ms', used() - before);
    }
  }
}
