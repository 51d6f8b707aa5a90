/**
 * Main-thread milliseconds per frame while a long answer arrives: our view compared with a plain-text reference in
 * the same run, and a text four times as long compared with the first.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { longAnswer } from '@tugdeck/testkit/long-answer';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';

interface Variant {
  readonly name: string;
  readonly kind: 'view' | 'plain';
  readonly copies: number;
}

interface Sample {
  readonly msPerFrame: number;
  readonly frames: number;
  readonly dropped: number;
}

const SECONDS = 6;
const DELTAS_PER_COPY = 4_000;
const FLOOR = { name: 'plain text, 60 KB', kind: 'plain', copies: 1 } as const;
const VIEW = { name: 'view, 60 KB', kind: 'view', copies: 1 } as const;
const LONG = { name: 'view, 240 KB', kind: 'view', copies: 4 } as const;
const VARIANTS: readonly Variant[] = [FLOOR, VIEW, LONG];
/** If the reference drops more than this share of its frames, the machine is too busy. */
const FLOOR_DROPS_PERCENT = 2;
const STYLE = `
  :root { --foreground: #ddd; --muted-foreground: #999; --muted: #333; --border: #444; --card: #222;
    --card-foreground: #ddd; --primary: #8af; --radius: 8px; --accent: #333; --accent-foreground: #fff; }
  body { margin: 0; background: #111; }
  main { height: 100vh; overflow-y: auto; }
  article { max-width: 76ch; margin: 0 auto; } article > p { margin: 12px 0 0; }`;

async function pageScript(): Promise<string> {
  const entry = fileURLToPath(new URL('./page.ts', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'streaming' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('the bundler gave no output');
  return output.output.map((part) => ('code' in part ? part.code : '')).join('\n');
}

async function measure(browser: Browser, script: string, variant: Variant): Promise<Sample> {
  const { page, context, close } = await newPage(browser);
  try {
    const css = new URL('../../../packages/web/src/features/markdown/markdown.css', import.meta.url);
    await page.setContent(`<!doctype html><style>${await readFile(css, 'utf8')}${STYLE}</style>`);
    await page.addScriptTag({ content: script });
    const session = await context.newCDPSession(page);
    // CPU time of the main thread, without other processes.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const taskSeconds = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    // The same rate of text at every length: a longer text takes longer, its frames must not.
    const args = [
      variant.kind,
      longAnswer.repeat(variant.copies),
      DELTAS_PER_COPY * variant.copies,
      SECONDS * variant.copies,
    ] as const;
    const before = await taskSeconds();
    const run = await page.evaluate((values) => window.streamingPage.stream(...values), args);
    const after = await taskSeconds();
    return { msPerFrame: ((after - before) * 1_000) / run.frames, ...run };
  } finally {
    await close();
  }
}

export const streaming: Benchmark = {
  name: 'streaming',
  async run({ rounds, log }) {
    const load = machineLoad();
    const script = await pageScript();
    const browser = await launchBrowser();
    const samples = new Samples();
    const frames = new Map<string, { drawn: number; dropped: number }>();
    for (let round = 0; round < rounds; round += 1) {
      for (const variant of VARIANTS) {
        const { msPerFrame, frames: drawn, dropped } = await measure(browser, script, variant);
        samples.add(variant.name, 'ms per frame', msPerFrame);
        const sum = frames.get(variant.name) ?? { drawn: 0, dropped: 0 };
        frames.set(variant.name, { drawn: sum.drawn + drawn, dropped: sum.dropped + dropped });
        log(
          `round ${round + 1}, ${variant.name}: ${msPerFrame.toFixed(2)} ms, ${dropped} of ${drawn} dropped`,
        );
      }
    }
    for (const { name } of VARIANTS) samples.add(`${name}: dropped`, '% of frames', droppedPercent(name));
    function droppedPercent(name: string): number {
      const { drawn, dropped } = frames.get(name) ?? { drawn: 0, dropped: 1 };
      return (dropped / (drawn + dropped)) * 100;
    }
    const floorDrops = droppedPercent(FLOOR.name);
    const isBusy = floorDrops > FLOOR_DROPS_PERCENT;
    return {
      name: 'streaming',
      about: 'main thread while a long answer streams, against appending plain text',
      series: samples.series(),
      judgements: [
        judge('60 KB against plain text', samples.median(VIEW.name) / samples.median(FLOOR.name), 1.5),
        judge('240 KB against 60 KB', samples.median(LONG.name) / samples.median(VIEW.name), 1.2),
        judge(
          'dropped frames beyond plain text, percentage points',
          droppedPercent(VIEW.name) - floorDrops,
          1,
        ),
      ],
      ...(isBusy
        ? { unjudged: `the plain text itself dropped ${floorDrops.toFixed(1)} % of its frames` }
        : {}),
      load,
      rounds,
    };
  },
};
