// Another machine in the deck, in a browser: its name, a conversation there, offline and back.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { kill9 } from '@tugdeck/testkit/process-facts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));
/** Refuses while the file exists, leaves its pid, and becomes the carrier. */
const GATE = 'test ! -e "$0" || { echo "no route to host" >&2; exit 255; }; echo $$ > "$0.pid"; exec "$@"';

let devbox: Deck;
let deck: Deck;
let opened: TestPage;
let cut: string;

beforeAll(async () => {
  devbox = await openDeck({ withoutAgent: true, projectName: 'shop' });
  cut = join(devbox.sandbox.root, 'cut');
  const variables = Object.entries(devbox.environment).map(([name, value]) => `${name}=${value}`);
  const bridge = ['/usr/bin/env', '-i', ...variables, process.execPath, program, 'bridge'];
  const command = ['/bin/sh', '-c', GATE, cut, ...bridge];
  deck = await openDeck({ withoutAgent: true, config: { machines: { devbox: { command } } } });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await devbox?.close();
  await closeBrowser();
});

const note = () => opened.page.getByRole('note').filter({ hasText: 'devbox has been offline since' });
const send = async (text: string) => {
  await opened.page.getByRole('textbox', { name: 'Message' }).fill(text);
  await opened.page.keyboard.press('Enter');
};
/** How often the journals on that machine have the text. */
const journaled = (text: string) => {
  const { stdout } = spawnSync('grep', ['-rho', `"text":"${text}"`, join(devbox.sandbox.data, 'sessions')]);
  return stdout.toString().split('\n').length - 1;
};

test('N7 a session on another machine is started and named in the page, and N17 any machine can be chosen', async () => {
  const { page } = opened;
  const project = page.locator('.project-head', { hasText: 'shop' });
  await expect.poll(() => project.locator('.machine-tag').innerText()).toBe('devbox');
  await project.hover();
  await project.getByRole('button', { name: 'Start a session in shop' }).click();
  const picker = page.getByRole('button', { name: 'Project: shop · devbox' });
  await picker.click();
  await page.getByRole('menuitem', { name: /^Any machine/ }).click();
  await page.getByText(/^devbox, the only one with this project: [\d.]+ \wB of memory free$/).waitFor();
  await picker.waitFor();
  await send('think of rain');
  await page.locator('a[data-session]', { hasText: 'think of rain' }).first().waitFor();
  await expect.poll(() => journaled('think of rain')).toBeGreaterThan(0);
});

test('N13 while it is offline it is named, and N10 a message arrives once it is back', async () => {
  writeFileSync(cut, '');
  kill9(Number(await readFile(`${cut}.pid`, 'utf8')));
  await note().waitFor();
  await send('think of snow');
  await opened.page.getByText('think of snow').first().waitFor();
  expect(journaled('think of snow')).toBe(0);
  rmSync(cut);
  await note().waitFor({ state: 'detached' });
  await expect.poll(() => journaled('think of snow')).toBeGreaterThan(0);
});
