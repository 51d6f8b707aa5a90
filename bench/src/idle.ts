/**
 * The cost of an idle deck (X7): a page with a conversation and all cards open. CPU time of the server and its child
 * processes, by the kernel's count, as a share of one core.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLedger } from '@tugdeck/local/ledger';
import type { Page } from 'playwright-core';
import { firstSession, Product } from './kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';

const run = promisify(execFile);
/** Their letters in the card picker, and their names. */
const CARDS = [
  // First, because it is the review of the conversation in front.
  ['r', 'Review'],
  ['f', 'Files'],
  ['g', 'Git'],
  ['t', 'Terminal'],
  // Last, so that it is in front: figures are measured only while it is visible.
  ['s', 'Stats'],
] as const;
const FOLDERS = 40;
const PER_FOLDER = 25;
/** Time for watches to start, the shell to print its prompt and images to settle. */
const SETTLE_MS = 8_000;
const QUIET_MS = 20_000;
const SERVER = 'server';
const OTHERS = 'hosts and reader';

export const idle: Benchmark = {
  name: 'idle',
  async run({ rounds, quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const product = await Product.prepare();
    try {
      await makeProject(product.sandbox.project);
      await product.start();
      const { page, close } = await product.page(() => undefined);
      await firstSession(page);
      for (const [letter, name] of CARDS) await openCard(page, letter, name);
      await pause(SETTLE_MS);
      for (let round = 0; round < rounds; round++) {
        const before = processorTimes(product);
        await pause(quick ? QUIET_MS / 2 : QUIET_MS);
        const after = processorTimes(product);
        const passed = after.at - before.at;
        samples.add(SERVER, '% of a core', ((after.server - before.server) / passed) * 100);
        samples.add(OTHERS, '% of a core', ((after.others - before.others) / passed) * 100);
        log(`round ${round + 1}: ${samples.median(SERVER).toFixed(2)} % of a core`);
      }
      await close();
    } finally {
      await product.close();
    }
    return {
      name: 'idle',
      about: `an idle deck with a conversation, ${CARDS.map(([, name]) => name).join(', ')} open`,
      series: samples.series(),
      judgements: [judge('the server, % of a core', samples.median(SERVER), 1)],
      load,
      rounds,
    };
  },
};

async function openCard(page: Page, letter: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press(letter);
  await page
    .getByRole('tab', { name: new RegExp(name) })
    .first()
    .waitFor();
}

/** CPU milliseconds of the server and its child processes so far. */
function processorTimes(product: Product): { at: number; server: number; others: number } {
  const records = openLedger(product.data.ledger).read();
  const worked = (isServer: boolean) =>
    records
      .filter(({ purpose }) => (purpose === 'server') === isServer)
      .reduce((sum, { identity }) => sum + workedMs(identity.pid), 0);
  return { at: performance.now(), server: worked(true), others: worked(false) };
}

function workedMs(pid: number): number {
  // All threads, including that of the file watcher.
  const words = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  const TICK_MS = 10;
  return (Number(words[11]) + Number(words[12])) * TICK_MS;
}

async function makeProject(directory: string): Promise<void> {
  for (let folder = 0; folder < FOLDERS; folder++) {
    await mkdir(join(directory, `part-${folder}`));
    for (let file = 0; file < PER_FOLDER; file++) {
      await writeFile(join(directory, `part-${folder}`, `file-${file}.ts`), `export const n = ${file};\n`);
    }
  }
  await run('git', ['init', '-q'], { cwd: directory });
  await run('git', ['add', '-A'], { cwd: directory });
}
