/**
 * The streaming benchmark: main-thread milliseconds per frame while a long answer arrives, ours against a
 * plain-text floor in the same run, and a text four times as long against the first. Ratios are the result.
 */
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { closeBrowser, launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { longAnswer } from '@tugdeck/testkit/long-answer';
import type { Browser } from 'playwright-core';
import { build } from 'vite';

export interface StreamingOptions {
  /** Interleaved repetitions of every variant. */
  readonly rounds?: number;
  readonly seconds?: number;
  readonly log?: (line: string) => void;
}

export interface Series {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly samples: readonly number[];
  readonly droppedPercent: number;
}

export interface Judgement {
  readonly name: string;
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly series: Readonly<Record<string, Series>>;
  readonly judgements: readonly Judgement[];
  /** False when the floor itself dropped frames: the machine was too busy to judge. */
  readonly judged: boolean;
  readonly load: readonly number[];
}

interface Variant {
  readonly name: string;
  readonly kind: 'view' | 'floor';
  readonly copies: number;
}

interface Sample {
  readonly msPerFrame: number;
  readonly frames: number;
  readonly dropped: number;
}

const DELTAS_PER_COPY = 4_000;
const VARIANTS: readonly Variant[] = [
  { name: 'floor 60 KB', kind: 'floor', copies: 1 },
  { name: 'view 60 KB', kind: 'view', copies: 1 },
  { name: 'view 240 KB', kind: 'view', copies: 4 },
];
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

async function measure(browser: Browser, script: string, variant: Variant, seconds: number): Promise<Sample> {
  const { page, context, close } = await newPage(browser);
  try {
    const css = new URL('../../../packages/web/src/markdown/markdown.css', import.meta.url);
    await page.setContent(`<!doctype html><style>${await readFile(css, 'utf8')}${STYLE}</style>`);
    await page.addScriptTag({ content: script });
    const session = await context.newCDPSession(page);
    // CPU time of the main thread: what other processes do on the machine stays out of it.
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
      seconds * variant.copies,
    ] as const;
    const before = await taskSeconds();
    const run = await page.evaluate((values) => window.streamingPage.stream(...values), args);
    const after = await taskSeconds();
    return { msPerFrame: ((after - before) * 1_000) / run.frames, ...run };
  } finally {
    await close();
  }
}

function summarize(samples: readonly Sample[]): Series {
  const sorted = samples.map(({ msPerFrame }) => msPerFrame).sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const frames = samples.reduce((sum, sample) => sum + sample.frames + sample.dropped, 0);
  const dropped = samples.reduce((sum, sample) => sum + sample.dropped, 0);
  return {
    median: (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
    samples: samples.map(({ msPerFrame }) => msPerFrame),
    droppedPercent: (dropped / frames) * 100,
  };
}

function judge(name: string, ratio: number, goal: number): Judgement {
  return { name, ratio, goal, met: ratio <= goal };
}

export async function run(options: StreamingOptions = {}): Promise<BenchResult> {
  const { rounds = 5, seconds = 6, log = () => undefined } = options;
  const script = await pageScript();
  const browser = await launchBrowser();
  const samples = new Map<string, Sample[]>(VARIANTS.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const variant of VARIANTS) {
        const sample = await measure(browser, script, variant, seconds);
        samples.get(variant.name)?.push(sample);
        const figures = `${sample.msPerFrame.toFixed(2)} ms/frame, ${sample.dropped}/${sample.frames} dropped`;
        log(`round ${round + 1}  ${variant.name.padEnd(12)} ${figures}`);
      }
    }
  } finally {
    await closeBrowser();
  }
  const series = Object.fromEntries([...samples].map(([name, list]) => [name, summarize(list)]));
  const median = (name: string) => series[name]?.median ?? Number.NaN;
  const droppedMore =
    (series['view 60 KB']?.droppedPercent ?? 0) - (series['floor 60 KB']?.droppedPercent ?? 0);
  return {
    name: 'streaming',
    unit: 'ms per frame',
    series,
    judgements: [
      judge('60 KB against the floor', median('view 60 KB') / median('floor 60 KB'), 1.5),
      judge('240 KB against 60 KB', median('view 240 KB') / median('view 60 KB'), 1.2),
      judge('dropped frames above the floor, percent', droppedMore, 1),
    ],
    judged: (series['floor 60 KB']?.droppedPercent ?? 100) <= 2,
    load: loadavg(),
  };
}
