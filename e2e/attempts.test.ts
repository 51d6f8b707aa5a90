// Attempts in the page (B37 to B40): one message, three workspaces, compared; a file is taken, one attempt is chosen.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck } from './deck.ts';

const isPictured = process.env.TUGDECK_TEST_FULL === '1' || process.env.TUGDECK_SCREENS === '1';
const SIZES = [
  { name: '1440-dark', theme: 'dark', width: 1440, height: 900 },
  { name: '1440-light', theme: 'light', width: 1440, height: 900 },
  { name: '390-dark', theme: 'dark', width: 390, height: 844 },
  { name: '390-light', theme: 'light', width: 390, height: 844 },
] as const;

let deck: Deck;
let opened: TestPage;

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: directory,
    encoding: 'utf8',
  });

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    prepare: async ({ project }) => {
      writeFileSync(join(project, 'search.ts'), 'one\ntwo\nthree\n');
      git(project, 'init', '-q', '-b', 'main');
      git(project, 'add', '.');
      git(project, 'commit', '-qm', 'one');
      return async () => undefined;
    },
    config: () => ({ maxLiveHosts: 2, workspaces: { check: 'grep -q index search.ts' } }),
  });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

/** The worktrees in the order of the attempts. */
const worktrees = () =>
  [...git(deck.sandbox.project, 'worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm)]
    .map(([, path = '']) => path)
    .slice(1)
    .sort((a, b) => a.length - b.length || a.localeCompare(b));
/** Throws if there are fewer than three, because the tests write files to them. */
const three = (): [string, string, string] => {
  const [a, b, c] = worktrees();
  if (!a || !b || !c) throw new Error('the attempts have not started');
  return [a, b, c];
};
const card = () => opened.page.getByRole('group', { name: 'Attempts', exact: true });
const columns = () => card().getByRole('list', { name: 'Attempts' }).getByRole('listitem');

async function pictures(name: string): Promise<void> {
  if (!isPictured) return;
  for (const { name: size, theme, width, height } of SIZES) {
    await opened.page.emulateMedia({ colorScheme: theme });
    await opened.page.setViewportSize({ width, height });
    await screenshot(opened.page, `attempts-${name}-${size}`);
  }
  await opened.page.emulateMedia({ colorScheme: null });
  await opened.page.setViewportSize({ width: 1440, height: 900 });
}

test('B37 three attempts start with one message, and the composer says in advance how many will be queued', async () => {
  const { page } = opened;
  await page.getByRole('button', { name: 'Attempts: 1' }).filter({ visible: true }).click();
  await page.getByRole('menuitemradio', { name: /^3 attempts/ }).click();
  await page.getByText('At most 2 agents run at once: 1 of 3 attempts will be queued.').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('hello search');
  await pictures('composer');
  if (isPictured) {
    await page.getByRole('button', { name: 'Attempts: 3' }).filter({ visible: true }).click();
    await page.getByRole('menuitem', { name: /^Choose agents/ }).click();
    await pictures('agents');
    await page.getByRole('button', { name: 'Done' }).click();
  }
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await entries(page, 'user').filter({ hasText: 'hello search' }).waitFor();
  await expect.poll(() => columns().count()).toBe(3);
  await expect.poll(() => worktrees().length).toBe(3);
  for (const index of [0, 1, 2])
    await columns()
      .nth(index)
      .getByText(/^Done|^Ready/)
      .waitFor();
  const group = page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('region', { name: /^Attempts: / });
  await expect.poll(() => group.getByRole('link').count()).toBe(3);
  expect(new Set(worktrees().map((path) => git(path, 'rev-parse', 'HEAD'))).size).toBe(1);
  if (isPictured) {
    await page.evaluate(() => {
      location.hash = '#/home';
    });
    await pictures('home');
    await page.goBack();
  }
  opened.assertNoProblems();
});

test('B39 compares files, also uncommitted ones, and runs the check in each workspace', async () => {
  const [a, b] = three();
  writeFileSync(join(a, 'search.ts'), 'one\nby index\nthree\n');
  writeFileSync(join(b, 'search.ts'), 'one\ntwo\nthree\nfour\n');
  writeFileSync(join(b, 'cache.ts'), 'cached\n');
  await columns().nth(0).getByText('1 file +1 −1').waitFor();
  await columns().nth(1).getByText('2 files +2').waitFor();
  await card().getByRole('button', { name: 'Run check' }).click();
  await columns().nth(0).getByText('Passed').waitFor();
  await columns().nth(1).getByText('Failed, exit code 1').waitFor();
  opened.assertNoProblems();
});

test('B40 takes a file of another attempt with undo, and choosing one archives the others', async () => {
  const { page } = opened;
  const [a, b, c] = three();
  await card().getByRole('combobox', { name: 'against' }).selectOption('B');
  const take = card().getByRole('button', { name: 'Take B’s version of cache.ts' });
  await take.click();
  await card().getByText('Took cache.ts from B').waitFor();
  expect(readFileSync(join(a, 'cache.ts'), 'utf8')).toBe('cached\n');
  await card().getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => existsSync(join(a, 'cache.ts'))).toBe(false);
  await take.waitFor();
  await card().getByRole('button', { name: 'search.ts', exact: true }).click();
  await card().getByRole('button', { name: 'Take this from B' }).first().waitFor();
  await pictures('compare');
  rmSync(join(c, 'search.ts'));
  await columns().nth(2).getByText('1 file −3').waitFor();
  await columns().nth(0).getByRole('button', { name: 'Choose… attempt A' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose attempt A?' });
  await dialog.getByText('1 changed, 1 new').waitFor();
  await pictures('choose');
  await dialog.getByRole('button', { name: 'Choose A' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await columns().nth(0).getByText('Chosen').waitFor();
  await columns().nth(1).getByText('Archived').waitFor();
  expect([a, b, c].map((path) => existsSync(path))).toEqual([true, false, false]);
  opened.assertNoProblems();
});
