/**
 * Other products beside ours in one run, with the same conversation of 5,000 entries: start, page weight, URL to last
 * message, memory of page and server. Runs only when named: it needs third-party programs and is not part of the
 * checks.
 */
import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import type { Page } from 'playwright-core';
import { pageMemory } from '../card/page-memory.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { cloudCli } from './cloudcli.ts';
import { openCode } from './opencode.ts';
import { ours } from './ours.ts';
import type { Peer } from './peer.ts';
import { createStory, LAST_WORDS } from './story.ts';

const OPEN_MS = 300_000;
/** Time for page and server to become idle before their memory is measured. */
const IDLE_MS = 5_000;
const KILO = 1024;

const MEASURES = {
  start: 'ms',
  'page weight': 'KB',
  'open 5,000 entries': 'ms',
  'DOM nodes': '',
  heap: 'MB',
  'process memory': 'MB',
} as const;
type Measure = keyof typeof MEASURES;

export const peers: Benchmark = {
  name: 'peers',
  isOptional: true,
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const story = createStory(quick ? 500 : 5_000);
    const all: Peer[] = [];
    try {
      for (const prepare of [ours, openCode, cloudCli]) {
        const peer = await prepare(story).catch((error: unknown) => log(`skipped: ${error}`));
        if (!peer) continue;
        all.push(peer);
        log(`${peer.name} is prepared`);
      }
      for (let round = 0; round < rounds; round++) {
        for (const peer of all) {
          const figures = await measure(peer);
          for (const measure of Object.keys(MEASURES) as Measure[]) {
            samples.add(`${peer.name}: ${measure}`, MEASURES[measure], figures[measure]);
          }
          log(`${peer.name}, round ${round + 1} of ${rounds}`);
        }
      }
    } finally {
      for (const peer of all) await peer.dispose();
    }
    const [own, ...others] = all;
    const against = (peer: Peer) =>
      (Object.keys(MEASURES) as Measure[]).map((measure) => {
        const median = (of: Peer | undefined) => samples.median(`${of?.name}: ${measure}`);
        return judge(`${measure} against ${peer.name}`, median(own) / median(peer), 1);
      });
    return {
      name: 'peers',
      about: 'other products in the same run on the same conversation, signed in, each on a fresh page',
      series: samples.series(),
      judgements: others.flatMap(against),
      load,
      rounds,
    };
  },
};

async function measure(peer: Peer): Promise<Record<Measure, number>> {
  const started = performance.now();
  await peer.start();
  const start = performance.now() - started;
  const { page, close } = await newPage(await launchBrowser());
  try {
    await peer.signIn(page);
    const weight = await weigh(page);
    const opened = performance.now();
    await page.goto(peer.address(), { waitUntil: 'commit' });
    await page.getByText(LAST_WORDS).first().waitFor({ timeout: OPEN_MS });
    const open = performance.now() - opened;
    await page.waitForTimeout(IDLE_MS);
    const { heapMB, nodes } = await pageMemory(page);
    return {
      start,
      'page weight': weight() / KILO,
      'open 5,000 entries': open,
      'DOM nodes': nodes,
      heap: heapMB,
      'process memory': peer.memory(),
    };
  } finally {
    await close();
    await peer.stop();
  }
}

/** Bytes of the page itself: document, scripts, styles, fonts; not of later requests. */
async function weigh(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const kinds = new Map<string, string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (['Document', 'Script', 'Stylesheet', 'Font'].includes(kinds.get(requestId) ?? ''))
      bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes;
}
