/** Landing a workspace in the page (B41 to B49): a conflict goes to the agent, then it lands by squash. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

const HAS_PICTURES = process.env.TUGDECK_TEST_FULL === '1' || process.env.TUGDECK_SCREENS === '1';
const SIZES = [
  { name: '1440-dark', theme: 'dark', width: 1440, height: 900 },
  { name: '1440-light', theme: 'light', width: 1440, height: 900 },
  { name: '390-dark', theme: 'dark', width: 390, height: 844 },
  { name: '390-light', theme: 'light', width: 390, height: 844 },
] as const;

let deck: Deck;
let opened: TestPage;

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();

function write(directory: string, name: string, text: string, message: string): void {
  writeFileSync(join(directory, name), text);
  git(directory, 'add', '-A');
  git(directory, 'commit', '-qm', message);
}

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    projectName: 'shop',
    config: { workspaces: { check: 'test -e login.ts' } },
    prepare: async ({ project }) => {
      git(project, 'init', '-q', '-b', 'main');
      git(project, 'config', 'user.name', 'Ada Example');
      git(project, 'config', 'user.email', 'ada@example.org');
      write(project, 'login.ts', 'one\n', 'Start');
      return async () => undefined;
    },
  });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

async function workspace(title: string): Promise<string> {
  const { stdout } = await deck.run('workspaces', 'new', title, '--dir', deck.sandbox.project);
  return stdout.trim();
}

async function openLand(page: Page, name: string) {
  const item = page.getByRole('listitem').filter({ hasText: name });
  if (!(await item.first().isVisible())) await openList(page);
  await item.getByRole('button', { name: 'Land…' }).click();
  const dialog = page.getByRole('dialog', { name: new RegExp(`^Land ${name}`) });
  await dialog.waitFor();
  return dialog;
}

async function openList(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for shop' }).first().press('Enter');
  await page.getByRole('menuitem', { name: 'Workspaces…' }).click();
}

async function pictures(name: string, show: (page: Page) => Promise<void>): Promise<void> {
  if (!HAS_PICTURES) return;
  for (const size of SIZES) {
    const { page, close } = await deck.page({ ...size, width: 1440 });
    await show(page);
    await page.setViewportSize(size);
    await screenshot(page, `${name}-${size.name}`);
    await close();
  }
}

test('B43 B44 B46 B47 a conflict is sent to the agent, solved in the workspace, and landed', async () => {
  const { project } = deck.sandbox;
  const path = await workspace('fix login');
  write(path, 'login.ts', 'theirs\n', 'Fix the login');
  write(project, 'login.ts', 'base\n', 'Change the login');
  writeFileSync(join(project, 'notes.txt'), 'mine\n');
  const { page } = opened;
  const dialog = await openLand(page, 'fix-login');
  await dialog.getByText('1 file conflicts').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Land', exact: true }).isEnabled()).toBe(false);
  await dialog.getByRole('button', { name: /^Send to / }).click();
  await entries(page, 'user').filter({ hasText: 'has conflicts in these files' }).waitFor();
  await rested(page);
  expect(git(path, 'ls-files', '--unmerged')).toContain('login.ts');
  expect(git(project, 'status', '--porcelain')).toBe('?? notes.txt');
  writeFileSync(join(path, 'login.ts'), 'both\n');
  git(path, 'commit', '-qam', 'Merge main');
  const again = await openLand(page, 'fix-login');
  await again.getByText('Up to date with main').waitFor();
  await again.getByLabel('Commit message').fill('Fix the login');
  await pressAnswer(again.getByRole('button', { name: 'Land', exact: true }));
  await page.getByRole('dialog', { name: 'Landed fix-login' }).waitFor();
  expect(readFileSync(join(project, 'login.ts'), 'utf8')).toBe('both\n');
  expect(git(project, 'log', '--format=%s')).toBe('Fix the login\nChange the login\nStart');
  expect(git(project, 'status', '--porcelain')).toBe('?? notes.txt');
  await page.getByRole('dialog', { name: 'Landed fix-login' }).getByRole('button', { name: 'Close' }).click();
});

test('B52 a branch is pushed from the menu of its workspace, after its commits and secrets were shown', async () => {
  const { project } = deck.sandbox;
  const remote = join(project, '..', 'shop.git');
  git(project, 'init', '-q', '--bare', remote);
  git(project, 'remote', 'add', 'origin', remote);
  git(project, 'push', '-q', '-u', 'origin', 'main');
  const { page } = opened;
  const path = git(project, 'worktree', 'list', '--porcelain').match(/^worktree (.*fix-login)$/m)?.[1] ?? '';
  write(path, 'id_rsa', 'secret\n', 'Add a key');
  const openDialog = async (one: Page) => {
    if (one.url() !== page.url()) await one.goto(page.url());
    await one.getByRole('button', { name: 'Actions for workspace fix-login' }).press('Enter');
    await one.getByRole('menuitem', { name: 'Push…' }).click();
    const dialog = one.getByRole('dialog', { name: /^Push / });
    await dialog.getByText('1 commit, 1 file').waitFor();
    return dialog;
  };
  await pictures('push', async (one) => void (await openDialog(one)));
  const dialog = await openDialog(page);
  const button = dialog.getByRole('button', { name: 'Push', exact: true });
  await dialog.getByText('Private file – id_rsa').waitFor();
  await expect.poll(() => button.isEnabled()).toBe(false);
  await dialog.getByLabel('Push anyway').check();
  await pressAnswer(button);
  await dialog.waitFor({ state: 'detached' });
  const branch = git(path, 'branch', '--show-current');
  expect(git(remote, 'rev-parse', branch)).toBe(git(path, 'rev-parse', 'HEAD'));
});

test('B41 B45 the command exits with 3 if it is refused and 4 if the check fails', async () => {
  const { project } = deck.sandbox;
  const path = await workspace('exit codes');
  const land = async (...more: string[]) => {
    const { code, stdout } = await deck.run('workspaces', 'land', 'exit-codes', '--dir', project, ...more);
    return [code, stdout.trim()];
  };
  expect((await land('--dry-run'))[0]).toBe(3);
  git(path, 'mv', 'login.ts', 'sign-in.ts');
  expect(await land()).toEqual([4, '']);
});

test('B72 B74 a session is handed off to the checkout, with its files', async () => {
  const { project } = deck.sandbox;
  const { page } = opened;
  const path = git(project, 'worktree', 'list', '--porcelain').match(/^worktree (.*fix-login)$/m)?.[1] ?? '';
  writeFileSync(join(path, 'later.ts'), 'later\n');
  const openDialog = async (one: Page) => {
    await one
      .getByRole('button', { name: /^Actions for A merge/ })
      .first()
      .press('Enter');
    await one.getByRole('menuitem', { name: /^Hand off…/ }).click();
    const dialog = one.getByRole('dialog', { name: 'Hand off session' });
    // The one above, and the one that was committed for the push.
    await dialog.getByText('2 files will be copied into the checkout').waitFor();
    return dialog;
  };
  await pictures('handoff', async (one) => void (await openDialog(one)));
  const dialog = await openDialog(page);
  await pressAnswer(dialog.getByRole('button', { name: 'Hand off', exact: true }));
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(`This session now works in ${project} instead of`).waitFor();
  expect(readFileSync(join(project, 'later.ts'), 'utf8')).toBe('later\n');
  expect(readFileSync(join(path, 'later.ts'), 'utf8')).toBe('later\n');
  await send(page, 'hello again');
  await rested(page);
  await expect.poll(() => page.getByText('This session now works in').count()).toBe(1);
});

test.runIf(HAS_PICTURES)(
  'B41 pictures of the Land dialog',
  async () => {
    const { project } = deck.sandbox;
    const path = await workspace('search index');
    write(path, 'search.ts', 'export const hits = index.query();\n', 'Use the index in the search');
    writeFileSync(join(path, 'cache.ts'), 'export const cache = new Map();\n');
    await pictures('land-clean', async (page) => {
      const dialog = await openLand(page, 'search-index');
      await dialog.getByText('Up to date').waitFor();
    });
    write(project, 'search.ts', 'export const hits = all.filter();\n', 'Search without the index');
    await pictures('land-conflict', async (page) => {
      const dialog = await openLand(page, 'search-index');
      await dialog.getByText('conflicts').first().waitFor();
    });
    await pictures('land-changes', async (page) => {
      const dialog = await openLand(page, 'search-index');
      await dialog.getByRole('radio', { name: 'As changes' }).check();
      await dialog.getByText('Blocked by files in').waitFor();
    });
  },
  300_000,
);
