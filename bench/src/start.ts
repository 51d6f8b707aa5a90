/**
 * From the command to the printed address, against a bare Node server that prints its own; the first start makes the
 * data directory, the second finds it. Then from the address to the drawn deck. The build exists already.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { installProbe } from './kit/page-probe.ts';
import { Product, printed } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const BARE = `require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('ready'))`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function timeBareNode(environment: Readonly<Record<string, string>>): Promise<number> {
  const bare = spawn(process.execPath, ['-e', BARE], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ms = await timed(() => printed(bare, /ready/));
  bare.kill('SIGKILL');
  await once(bare, 'close');
  return ms;
}

/** From navigation to the first drawn content, by the browser's own word, and to the connected deck. */
async function timePage(product: Product): Promise<{ content: number; ready: number }> {
  const { page, close } = await newPage(await launchBrowser());
  try {
    await page.addInitScript(installProbe);
    const url = (await product.run('url')).trim();
    await page.goto(url, { waitUntil: 'commit' });
    const ready = await page.evaluate(async () => {
      const at = await window.probe.until('[role="status"][data-state="online"]');
      return at - performance.timeOrigin;
    });
    // The browser says so a little after it has painted.
    const content = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            const [paint] = list.getEntriesByName('first-contentful-paint');
            if (paint) resolve(paint.startTime);
          }).observe({ type: 'paint', buffered: true });
        }),
    );
    return { content, ready };
  } finally {
    await close();
  }
}

export const start: Benchmark = {
  name: 'start',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      const product = await Product.prepare();
      try {
        const bare = await timeBareNode(product.environment);
        const first = await timed(() => product.start());
        const page = await timePage(product);
        await product.stop();
        const second = await timed(() => product.start());
        samples.add('bare Node, listening', 'ms', bare);
        samples.add('first start, to the address', 'ms', first);
        samples.add('second start, to the address', 'ms', second);
        samples.add('page, to the first content', 'ms', page.content);
        samples.add('page, to the connected deck', 'ms', page.ready);
        log(
          `round ${round + 1}: bare ${bare.toFixed(0)}, first ${first.toFixed(0)}, second ${second.toFixed(0)} ms`,
        );
      } finally {
        await product.close();
      }
    }
    const against = (name: string) => samples.median(name) / samples.median('bare Node, listening');
    return {
      name: 'start',
      about: 'npm start with a finished build, against bare Node',
      series: samples.series(),
      judgements: [
        judge('first start against bare Node', against('first start, to the address'), 5),
        judge('second start against bare Node', against('second start, to the address'), 5),
      ],
      load,
      rounds,
    };
  },
};
