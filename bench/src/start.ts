/**
 * From the command to the printed address, compared with a bare Node server; the first start creates the data
 * directory, the second finds it. Then from the address to the rendered deck, and both together compared with an
 * empty Fastify with a static page. The build exists already.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { installProbe } from './kit/page-probe.ts';
import { Product, printed } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const BARE = `require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('ready'))`;

/** The minimum with the same tools: one static page. */
const EMPTY = `
const server = require('fastify')();
server.get('/', (_, reply) => reply.type('text/html').send('<!doctype html><title>Empty</title><p role="status">Ready</p>'));
server.listen({ port: 0, host: '127.0.0.1' }).then((address) => console.log('ready ' + address));
`;
const FASTIFY_FROM = fileURLToPath(new URL('../../packages/gateway/', import.meta.url));

const USABLE = 'start to a usable page';
const EMPTY_USABLE = 'empty Fastify, start to its page';

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

/** Time from the start of an empty Fastify until a browser has rendered its page. */
async function timeEmpty(environment: Readonly<Record<string, string>>): Promise<number> {
  const { page, close } = await newPage(await launchBrowser());
  const started = performance.now();
  const server = spawn(process.execPath, ['-e', EMPTY], {
    env: environment,
    cwd: FASTIFY_FROM,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const address = (await printed(server, /ready \S+/)).slice('ready '.length);
    await page.goto(address);
    await page.getByRole('status').waitFor();
    return performance.now() - started;
  } finally {
    await close();
    server.kill('SIGKILL');
    await once(server, 'close');
  }
}

/** From navigation to the first contentful paint, as the browser reports it, and to the connected deck. */
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
    // The browser reports it a little after painting.
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
        const empty = await timeEmpty(product.environment);
        const second = await timed(() => product.start());
        samples.add('bare Node, listening', 'ms', bare);
        samples.add('first start, to the address', 'ms', first);
        samples.add('second start, to the address', 'ms', second);
        samples.add('page, to the first content', 'ms', page.content);
        samples.add('page, to the connected deck', 'ms', page.ready);
        samples.add(USABLE, 'ms', first + page.ready);
        samples.add(EMPTY_USABLE, 'ms', empty);
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
        judge(
          'usable page against an empty Fastify',
          samples.median(USABLE) / samples.median(EMPTY_USABLE),
          5,
        ),
      ],
      load,
      rounds,
    };
  },
};
