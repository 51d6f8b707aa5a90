/** W2 in the real page: the tree, the editor beside an agent that writes to the same file, quick open, search. One deck. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { waitFor } from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>';

const isFull = process.env.TUGDECK_TEST_FULL === '1';

let deck: Deck;
let opened: TestPage;
let page: Page;

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    files: {
      '.gitignore': 'built/\n',
      'README.md': '# Lantern\n\nA **small** project.\n',
      'src/lantern.ts': 'export function glow(): number {\n  return 1;\n}\n',
      'src/deep/glow-worm.ts': 'export const worm = "glow";\n',
      'built/out.js': 'glow\n',
      'mark.svg': PICTURE,
    },
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: deck.sandbox.project,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  opened = await deck.page();
  page = opened.page;
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
afterEach(() => opened.assertNoProblems());

const at = (path: string) => join(deck.sandbox.project, path);
const tree = () => page.getByRole('group', { name: 'Files', exact: true });
const row = (name: string) =>
  tree().getByRole('treeitem', { name: new RegExp(`^${name.replaceAll('.', '\\.')}`) });
const file = (path: string) => page.getByRole('group', { name: `File ${path}` });
const text = (path: string) => page.getByRole('textbox', { name: `Text of ${path}` });

async function openCard(letter: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press(letter);
}

async function quickOpen(letters: string): Promise<void> {
  await page.keyboard.press('Control+p');
  await page.getByRole('combobox', { name: /^Go to file in/ }).fill(letters);
}

/** D9 for both cards, at their fullest. */
async function expectAccessible(): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await checker.run({ runOnly: ['wcag2a', 'wcag2aa'] });
    return violations.map(
      ({ id, impact, nodes }) => `${impact} ${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`,
    );
  });
  expect(found.filter((line) => /^(serious|critical)/.test(line))).toEqual([]);
}

test('W2 the tree shows the project with git’s marks and follows external changes', async () => {
  await openCard('f');
  // Twice, like a user in a hurry: the folder stays expanded.
  await row('src').dblclick();
  await row('lantern.ts').waitFor();
  await writeFile(at('src/by-an-agent.ts'), 'export {};\n');
  await row('by-an-agent.ts').and(page.locator('[data-mark="?"]')).waitFor();
  await appendFile(at('README.md'), '\nMore.\n');
  await row('README.md').and(page.locator('[data-mark="M"]')).waitFor();
  await row('built').and(page.locator('[data-mark="!"]')).waitFor();
  await screenshot(page, 'files-tree');
  await rm(at('src/by-an-agent.ts'));
  await row('by-an-agent.ts').waitFor({ state: 'detached' });
});

test('W22 a file is opened, highlighted, edited and saved under the content policy', async () => {
  await row('lantern.ts').click();
  await text('src/lantern.ts').waitFor();
  // The editor's styles are applied: without them the gutter would be above the text.
  const scroller = file('src/lantern.ts').locator('.cm-scroller');
  await expect.poll(() => scroller.evaluate((node) => getComputedStyle(node).display)).toBe('flex');
  await file('src/lantern.ts')
    .locator('.cm-line span', { hasText: /^return$/ })
    .waitFor();
  await text('src/lantern.ts').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('// mine, with a ? in it');
  await page.getByRole('tab', { name: '● lantern.ts' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('tab', { name: 'lantern.ts', exact: true }).waitFor();
  expect(await readFile(at('src/lantern.ts'), 'utf8')).toMatch(/\}\n\/\/ mine, with a \? in it$/);
});

test('W23 shows an agent’s edit at once in an unmodified editor, and asks in one with changes', async () => {
  const path = 'src/lantern.ts';
  const original = await readFile(at(path), 'utf8');
  await writeFile(at(path), original.replace('return 1', 'return 2'));
  await text(path).getByText('return 2').waitFor();
  await text(path).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// typed here\n');
  await writeFile(at(path), original.replace('return 1', 'return 3'));
  const bar = file(path).getByRole('alert');
  await bar.getByText('Another program changed this file').waitFor();
  await file(path).locator('.cm-deletedChunk').getByText('return 3').waitFor();
  await screenshot(page, 'files-conflict');
  await expectAccessible();
  // Both survive a reload.
  await page.reload();
  await bar.getByText('Another program changed this file').waitFor();
  await text(path).getByText('// typed here').waitFor();
  expect(await readFile(at(path), 'utf8')).toContain('return 3');
  await file(path).getByRole('alert').getByRole('button', { name: 'Use version on disk' }).click();
  await bar.waitFor({ state: 'detached' });
  await text(path).getByText('return 3').waitFor();
  expect(await readFile(at(path), 'utf8')).toContain('return 3');
});

test('W24 W25 quick open finds a file by a few letters; a preview shows markdown and images', async () => {
  const dialog = page.getByRole('dialog', { name: 'Quick open' });
  await quickOpen('glwrm');
  await dialog.getByRole('option', { name: /glow-worm\.ts/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await text('src/deep/glow-worm.ts').getByText('worm').waitFor();
  await quickOpen('readme');
  await dialog.getByRole('option', { name: /README\.md/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await file('README.md').getByRole('button', { name: 'Preview' }).click();
  await file('README.md').getByRole('heading', { name: 'Lantern' }).waitFor();
  await quickOpen('mark.svg');
  await dialog.getByRole('option', { name: /mark\.svg/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await file('mark.svg').getByRole('button', { name: 'Preview' }).click();
  const image = file('mark.svg').getByRole('img', { name: 'mark.svg' });
  await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(40);
});

test('W20 by keyboard alone: new file, rename, delete, undo', async () => {
  await page.getByRole('tab', { name: 'Files' }).click();
  const list = tree().getByRole('tree');
  await list.press('Home');
  await tree().getByRole('button', { name: 'New file' }).click();
  await tree().getByRole('textbox', { name: 'Name' }).fill('fresh.txt');
  await page.keyboard.press('Enter');
  await waitFor(() => existsSync(at('fresh.txt')) || existsSync(at('built/fresh.txt')), {
    what: 'a new file',
  });
  await text('fresh.txt').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await row('fresh.txt').and(page.locator('[aria-selected="true"]')).waitFor();
  await list.press('F2');
  await tree().getByRole('textbox', { name: 'Name' }).fill('renamed.txt');
  await page.keyboard.press('Enter');
  await row('renamed.txt').and(page.locator('[aria-selected="true"]')).waitFor();
  await list.press('Delete');
  await row('renamed.txt').waitFor({ state: 'detached' });
  await expect.poll(() => existsSync(at('renamed.txt'))).toBe(false);
  await list.press('Control+z');
  await row('renamed.txt').waitFor();
  await expect.poll(() => existsSync(at('renamed.txt'))).toBe(true);
});

test.runIf(isFull)('W21 deleted files are listed and restored beside a new one', async () => {
  const list = tree().getByRole('tree');
  await row('renamed.txt').click();
  await page.getByRole('tab', { name: 'Files' }).click();
  await list.press('Delete');
  await row('renamed.txt').waitFor({ state: 'detached' });
  await writeFile(at('renamed.txt'), 'another');
  await tree().getByRole('button', { name: 'Trash' }).click();
  await tree().getByRole('button', { name: 'Restore renamed.txt' }).click();
  await tree().getByText('Restore as copy').click();
  await tree().getByText('Restored renamed (restored).txt').waitFor();
  expect([existsSync(at('renamed (restored).txt')), readFileSync(at('renamed.txt'), 'utf8')]).toEqual([
    true,
    'another',
  ]);
  await tree().getByRole('button', { name: 'Show tree' }).click();
  await row('renamed').first().waitFor();
});

test('W26 W27 search opens the line, and lines go from there into a message', async () => {
  await tree().getByRole('button', { name: 'Search in files' }).click();
  await page.getByRole('textbox', { name: 'Search in files' }).fill('glow');
  await tree()
    .getByText(/lines? in \d files?/)
    .waitFor();
  await tree()
    .getByRole('button', { name: /worm = "glow"/ })
    .click();
  await text('src/deep/glow-worm.ts').waitFor();
  await text('src/deep/glow-worm.ts').click();
  await page.keyboard.press('Control+a');
  await file('src/deep/glow-worm.ts').getByRole('button', { name: 'Ask about this' }).click();
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => message.inputValue()).toContain('@src/deep/glow-worm.ts line');
  await expect.poll(() => message.inputValue()).toContain('export const worm = "glow";');
  // Without an open session they go into the composer of a new one, whose text is kept.
  await message.fill('kept');
  await page.keyboard.press('Alt+Shift+W');
  await message.waitFor({ state: 'detached' });
  await text('src/deep/glow-worm.ts').click();
  await page.keyboard.press('Control+a');
  await file('src/deep/glow-worm.ts').getByRole('button', { name: 'Ask about this' }).click();
  await expect.poll(() => message.inputValue()).toMatch(/^kept @src\/deep\/glow-worm\.ts line/);
});
