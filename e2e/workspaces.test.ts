// Workspaces in the page: where a new session starts, the progress of its workspace, and its header line.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import type { Sandbox } from '@tugdeck/testkit/temp';
import { isWhole } from '@tugdeck/testkit/whole';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

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
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: directory,
    encoding: 'utf8',
  });

/** While the server was killed. */
const SERVER_GONE = [/WebSocket connection .* failed/, /status of 503/, /ERR_CONNECTION/];

/** The setup waits for this file, so that tests can look at the progress. */
const gate = (sandbox: Sandbox) => join(sandbox.data, '..', 'go');

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    prepare: async ({ project }) => {
      git(project, 'init', '-q', '-b', 'main');
      git(project, 'add', '.');
      git(project, 'commit', '-qm', 'one');
      git(project, 'branch', 'old');
      return async () => undefined;
    },
    config: (sandbox) => ({
      workspaces: { setup: `while [ ! -e '${gate(sandbox)}' ]; do sleep 0.1; done; echo done` },
    }),
  });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

const picker = () => opened.page.getByRole('button', { name: /^Workspace: / }).filter({ visible: true });
const worktrees = () => {
  const home = join(deck.sandbox.data, 'worktrees');
  return existsSync(home) ? readdirSync(home).flatMap((owner) => readdirSync(join(home, owner))) : [];
};
const steps = () => opened.page.getByRole('list', { name: 'Creating the workspace' });

test('B1 B2 B81 B82 a session starts in the checkout, and the next one in a workspace while it works there', async () => {
  const { page } = opened;
  await picker()
    .and(page.getByRole('button', { name: 'Workspace: Checkout' }))
    .waitFor();
  await send(page, 'ask');
  await page
    .getByRole('group', { name: /question/i })
    .or(page.locator('[data-request]'))
    .first()
    .waitFor();
  await newSession(page);
  await picker()
    .and(page.getByRole('button', { name: 'Workspace: New workspace' }))
    .waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('think of the login');
  await page
    .locator('.start-branch')
    .filter({ hasText: /\/think-of-the-login$/ })
    .waitFor();
  await page.getByRole('button', { name: /^Base: main [0-9a-f]{8}$/ }).waitFor();
  for (const width of [225, 300, 390, 560, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const name of ['Workspace: New workspace', 'Attempts: 1']) {
      const menu = page.getByRole('button', { name }).filter({ visible: true });
      await expect.poll(() => menu.evaluate(isWhole)).toBe(true);
    }
  }
  // One key changes it, and back; nothing was created for it.
  await page.keyboard.press('Alt+w');
  await page.getByRole('button', { name: 'Workspace: Checkout' }).filter({ visible: true }).waitFor();
  await page.keyboard.press('Alt+w');
  await page.getByRole('button', { name: 'Workspace: New workspace' }).filter({ visible: true }).waitFor();
  expect(worktrees()).toEqual([]);
  opened.assertNoProblems();
});

test('B3 B83 B85 the message waits for the setup, survives a killed server, and is sent once', async () => {
  const { page } = opened;
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await steps().getByText('Running the setup').waitFor();
  await expect.poll(() => steps().getByRole('listitem').count()).toBe(4);
  await entries(page, 'user').filter({ hasText: 'think of the login' }).waitFor();
  await deck.killServer();
  await deck.startServer();
  await steps().getByText('Running the setup').waitFor();
  writeFileSync(gate(deck.sandbox), '');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  await expect.poll(() => entries(page, 'user').count()).toBe(1);
  expect(worktrees()).toEqual(['think-of-the-login']);
  // The header says where it works, and how it differs from its base.
  const line = page.getByRole('region', { name: 'Workspace think-of-the-login' });
  await line.getByText(/^from main [0-9a-f]{8}$/).waitFor();
  const [path = ''] =
    git(deck.sandbox.project, 'worktree', 'list', '--porcelain').match(/\S+think-of-the-login$/m) ?? [];
  writeFileSync(join(path, 'new.txt'), 'new\n');
  await line.getByText('1 changed file').waitFor();
  opened.assertNoProblems(SERVER_GONE);
});

test('B12 B84 a workspace that cannot be created leaves nothing, and its message can be sent again', async () => {
  const { page } = opened;
  await newSession(page);
  await page
    .getByRole('button', { name: /^Base: / })
    .filter({ visible: true })
    .click();
  await page.getByRole('menuitemradio', { name: 'old' }).click();
  await page
    .getByRole('button', { name: /^Base: old / })
    .filter({ visible: true })
    .waitFor();
  git(deck.sandbox.project, 'branch', '-D', 'old');
  await send(page, 'think again');
  const alert = page.getByRole('alert').filter({ hasText: 'couldn’t be created' });
  await alert.filter({ hasText: 'old was not found' }).waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('think again');
  expect(worktrees()).toEqual(['think-of-the-login']);
  expect(git(deck.sandbox.project, 'branch', '--list', '*think-again*')).toBe('');
  await picker().click();
  await page.getByRole('menuitemradio', { name: /^Your checkout/ }).click();
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  await expect.poll(() => entries(page, 'user').count()).toBe(1);
  expect(worktrees()).toEqual(['think-of-the-login']);
  opened.assertNoProblems(SERVER_GONE);
});

test('B36 B86 a folder deleted by hand is reported, and restored from its branch', async () => {
  const { page } = opened;
  const nav = page.getByRole('navigation', { name: 'Projects' });
  await nav.getByRole('link').filter({ hasText: 'think of the login' }).first().click();
  const line = page.getByRole('region', { name: 'Workspace think-of-the-login' });
  await line.waitFor();
  const [path = ''] =
    git(deck.sandbox.project, 'worktree', 'list', '--porcelain').match(/\S+think-of-the-login$/m) ?? [];
  rmSync(path, { recursive: true });
  const note = page.getByRole('alert').filter({ hasText: 'The folder of this workspace was deleted.' });
  await page.reload();
  await note.getByRole('button', { name: 'Restore' }).click();
  await note.waitFor({ state: 'hidden' });
  await line.getByText(/^from main/).waitFor();
  await expect.poll(() => git(path, 'status', '--porcelain')).toBe('');
  opened.assertNoProblems(SERVER_GONE);
});

test('B18 the setup of another tool is shown with its commands, and imported into the configuration', async () => {
  const { page } = opened;
  const { project, data } = deck.sandbox;
  const scripts = { setup: 'npm ci\nnpm run build', run: 'npm run dev', archive: 'docker compose down -v' };
  writeFileSync(join(project, 'conductor.json'), JSON.stringify({ scripts }));
  await newSession(page);
  if ((await picker().getAttribute('aria-label')) !== 'Workspace: New workspace')
    await page.keyboard.press('Alt+w');
  await page.getByRole('button', { name: 'Import the setup from conductor.json…' }).click();
  const section = page.getByRole('region', { name: 'Setup of other tools' });
  await section.getByText('docker compose down -v').waitFor();
  for (const { name, theme, width, height } of SIZES) {
    if (!HAS_PICTURES) break;
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height });
    await section.scrollIntoViewIfNeeded();
    await screenshot(page, `setup-import-${name}`);
  }
  await section.getByRole('button', { name: 'Import' }).click();
  await section.waitFor({ state: 'detached' });
  const { projects } = JSON.parse(readFileSync(join(data, 'config.json'), 'utf8'));
  expect(projects[project].workspaces).toMatchObject({ setup: scripts.setup, teardown: scripts.archive });
  opened.assertNoProblems(SERVER_GONE);
});
