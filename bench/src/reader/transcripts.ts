/**
 * Tool-heavy transcripts of 1, 15 and 600 MB: time until each is fully indexed, time from the click to its last
 * screen during and after indexing, and how long the server's event loop is blocked, compared with an idle server.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { externalId } from '@tugdeck/local/external-id';
import { writeCorpus } from '@tugdeck/testkit/session-corpus';
import { installProbe } from '../kit/page-probe.ts';
import { Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { pinBrowser } from './browser-core.ts';
import { LoopBlocks } from './loop-blocks.ts';
import { readerPeak, waitForIndex } from './reader-watch.ts';

const MB = 1024 * 1024;
const REST_MS = 5_000;
const SIZES = [1, 15, 600];
const INDEX_MS = 1_800_000;

export const transcripts: Benchmark = {
  name: 'transcripts',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const sizes = quick ? [1, 15, 60] : SIZES;
    const largest = sizes.at(-1) ?? 0;
    const product = await Product.prepare();
    const loop = new LoopBlocks(product);
    try {
      const { large } = writeCorpus({
        home: product.sandbox.home,
        directories: [product.sandbox.project],
        claude: 0,
        codex: 0,
        large: sizes.map((size) => size * MB),
      });
      const aside = (index: number) => join(product.sandbox.root, `aside-${index}`);
      for (const [index, { path }] of large.entries()) renameSync(path, aside(index));
      log('transcripts written');
      await pinBrowser();
      await product.start(loop.environment);
      const idleSince = Date.now();
      await delay(REST_MS);
      const began = Date.now();
      for (const [index, { path, session }] of large.entries()) {
        const size = sizes[index] ?? 0;
        const at = performance.now();
        renameSync(aside(index), path);
        const indexed = waitForIndex(product, index + 1, INDEX_MS);
        await open(product, externalId('claude', session), (ms) =>
          samples.add(`open ${size} MB while it is indexed`, 'ms', ms),
        );
        await indexed;
        samples.add(`index ${size} MB`, 's', (performance.now() - at) / 1000);
      }
      log('indexed');
      for (let round = 0; round < rounds; round++) {
        for (const [index, { session }] of large.entries()) {
          await open(product, externalId('claude', session), (ms) =>
            samples.add(`open ${sizes[index]} MB`, 'ms', ms),
          );
        }
      }
      const busy = loop.longest(began, Date.now());
      const rest = loop.longest(idleSince, began);
      samples.add('reader, peak memory', 'MB', readerPeak(product));
      samples.add("longest block of the server's event loop, without waiting for a core", 'ms', busy.blocked);
      samples.add('the same, idle', 'ms', rest.blocked);
      samples.add("longest block of the server's event loop in wall-clock time", 'ms', busy.passed);
      samples.add('the same in wall-clock time, idle', 'ms', rest.passed);
      const opened = (size: number) => samples.median(`open ${size} MB`);
      return {
        name: 'transcripts',
        about: `opening transcripts of ${sizes.join(', ')} MB that another program wrote: click to last screen`,
        series: samples.series(),
        judgements: [
          judge(`open ${largest} MB, ms`, opened(largest), 500),
          judge(`open ${largest} MB against 1 MB`, opened(largest) / opened(1), 3),
          judge("longest block of the server's event loop, ms", busy.blocked, 20),
          judge('peak memory of the reader, MB', samples.median('reader, peak memory'), 300),
        ],
        load,
        rounds,
      };
    } finally {
      await product.close();
    }
  },
};

/** On a fresh page that lists it: from the click to the frame that shows its last answer. */
async function open(product: Product, session: string, took: (ms: number) => void): Promise<void> {
  const { page, close } = await product.page(installProbe);
  try {
    const ms = await page.evaluate(async (id) => {
      const frame = () => new Promise(requestAnimationFrame);
      const texts = () => [...document.querySelectorAll<HTMLElement>('article[data-entry-kind="text"]')];
      await window.probe.until(`a[href$="${id}"]`);
      // The previous card is rendered first; its contents do not count.
      while (document.querySelector('[aria-busy="true"]')) await frame();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const before = new Set(texts().filter((text) => text.checkVisibility()));
      const started = performance.now();
      document.querySelector<HTMLElement>(`a[href$="${id}"]`)?.click();
      while (!texts().some((text) => text.checkVisibility() && !before.has(text))) await frame();
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return performance.now() - started;
    }, session);
    took(ms);
  } finally {
    await close();
  }
}
