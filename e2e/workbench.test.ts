/**
 * W1–W5 in states that are rare and must still be right: a submodule, a rename, a detached head, hundreds of changes, very
 * long names, empty lists, errors; at phone and desktop width. Full tier: one deck, screenshots for review.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, openDeck } from './deck.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';
const LONG = 'a-name-that-goes-on-and-on-'.repeat(6);
const LOOKS = [
  ['dark-1280', { width: 1280, height: 800 }, 'dark'],
  ['light-1280', { width: 1280, height: 800 }, 'light'],
  ['dark-400', { width: 400, height: 800 }, 'dark'],
  ['light-400', { width: 400, height: 800 }, 'light'],
] as const;

let deck: Deck;
let opened: TestPage;
let page: Page;

beforeAll(async () => {
  if (!isFull) return;
  deck = await openDeck({
    withoutAgent: true,
    files: { 'src/values.ts': 'one\ntwo\nthree\n', 'old.txt': 'same\n'.repeat(20) },
  });
  opened = await deck.page({ width: 1280, height: 800 });
  page = opened.page;
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
afterEach(() => opened?.assertNoProblems());

const at = (path: string) => join(deck.sandbox.project, path);
const gitAt = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always', ...args],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: deck.sandbox.home },
    },
  );
const git = (...args: string[]) => gitAt(deck.sandbox.project, ...args);
const card = (name: string) => page.getByRole('group', { name, exact: true });

async function openCard(letter: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press(letter);
}

async function look(name: string): Promise<void> {
  for (const [variant, size, scheme] of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    await screenshot(page, `${name}-${variant}`);
    expect(await still(page, overflowing), `${name} ${variant}`).toEqual([]);
  }
  await page.setViewportSize({ width: 340, height: 700 });
  expect(await still(page, overflowing), `${name} at 340`).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
}

/** Buttons that are cut off, and boxes that overflow sideways without a scrollbar. */
function overflowing(): Promise<string[]> {
  return page.evaluate(() => {
    const cards = '.git, .review, .files, .stats';
    const cut = [...document.querySelectorAll(cards)]
      .flatMap((card) => [...card.querySelectorAll('button')])
      .filter((button) => {
        const box = button.getBoundingClientRect();
        return box.width > 0 && (box.right > document.documentElement.clientWidth + 1 || box.left < -1);
      })
      .map((button) => button.textContent || button.getAttribute('aria-label') || 'a button');
    const moved = [...document.querySelectorAll(cards)]
      .flatMap((card) => [card, ...card.querySelectorAll('*')])
      .filter((box) => box.scrollLeft > 0 && getComputedStyle(box).overflowX !== 'auto')
      .map((box) => `${box.className} went ${box.scrollLeft}`);
    return [...cut, ...moved];
  });
}

describe.runIf(isFull)('W3 git in rare states', () => {
  test('W3 no repository, then one without commits, then one without changes', async () => {
    await openCard('g');
    await card('Git').getByRole('button', { name: 'Initialize repository' }).waitFor();
    await look('git-none');
    git('init', '-q', '-b', 'main');
    await card('Git').getByText('values.ts').first().waitFor();
    git('add', '-A');
    git('commit', '-qm', 'first');
    await card('Git').getByText('Working tree clean').waitFor();
    await look('git-clean');
  });

  test('W3 a rename, a submodule that moved, a deleted file, a link, a very long name', async () => {
    const other = join(deck.sandbox.root, 'other');
    await mkdir(other);
    gitAt(other, 'init', '-q', '-b', 'main');
    await writeFile(join(other, 'part.txt'), 'one\n');
    gitAt(other, 'add', '-A');
    gitAt(other, 'commit', '-qm', 'part');
    git('submodule', '--quiet', 'add', other, 'part of another');
    await writeFile(at(`${LONG}.ts`), 'long\n');
    await writeFile(at('gone.txt'), 'gone\n');
    git('add', '-A');
    git('commit', '-qm', 'with a part');
    await writeFile(join(at('part of another'), 'part.txt'), 'two\n');
    gitAt(at('part of another'), 'commit', '-qam', 'moved');
    git('mv', 'old.txt', 'new name.txt');
    await rm(at('gone.txt'));
    await symlink('src/values.ts', at('a link'));
    await writeFile(at(`${LONG}.ts`), 'longer\n');
    await writeFile(at('src/values.ts'), 'one\n2\nthree\n');
    const shown = card('Git');
    for (const name of ['new name.txt', 'part of another', 'gone.txt', 'a link', 'values.ts']) {
      await shown.locator('.git-row-main', { hasText: name }).first().waitFor();
    }
    await shown.locator('.git-row-main', { hasText: 'part of another' }).click();
    await look('git-changes');
    await shown.locator('.git-row-main', { hasText: 'a-name-that' }).first().click();
    await shown.locator('.diff-text', { hasText: 'longer' }).waitFor();
    await look('git-long');
    await shown.locator('.git-row-main', { hasText: 'new name.txt' }).first().click();
    await shown.getByText('old.txt').first().waitFor();
  });

  test('W3 a detached HEAD is shown with its commit', async () => {
    git('stash', 'push', '-q', '-u');
    git('checkout', '-q', '--detach', 'HEAD~1');
    await card('Git')
      .getByText(/detached|no branch/i)
      .first()
      .waitFor();
    await look('git-detached');
    git('checkout', '-q', 'main');
    git('stash', 'pop', '-q');
  });

  test('W34 a conflict of a rename and of contents, and 3,000 new files', async () => {
    git('add', '-A');
    git('commit', '-qm', 'all');
    git('checkout', '-qb', `side/${LONG}`);
    await writeFile(at('src/values.ts'), 'one\nside\nthree\n');
    git('rm', '-q', '--cached', 'gone.txt', '--ignore-unmatch');
    git('commit', '-qam', 'On the side');
    git('checkout', '-q', 'main');
    await writeFile(at('src/values.ts'), 'one\nmain\nthree\n');
    git('commit', '-qam', 'On main');
    try {
      git('merge', `side/${LONG}`);
    } catch {
      // It ends in a conflict, as it should.
    }
    await mkdir(at('many'));
    for (let file = 0; file < 3_000; file++) await writeFile(at(`many/file-${file}.txt`), `${file}\n`);
    const shown = card('Git');
    await shown.getByText('Merge in progress').waitFor();
    await shown.getByRole('region', { name: 'Conflicts' }).locator('.git-row-main').click();
    await shown.locator('.git-resolve').getByText('changed on both sides').waitFor();
    await shown
      .getByText(/3,?000|3,?001/)
      .first()
      .waitFor();
    await look('git-conflict');
    for (const view of ['History', 'Branches', 'Stashes', 'Worktrees']) {
      await shown.getByRole('button', { name: view }).click();
      await look(`git-${view.toLowerCase().replace(' ', '-')}`);
    }
    await shown.getByRole('button', { name: 'Changes' }).click();
    await rm(at('many'), { recursive: true });
    git('merge', '--abort');
  });

  test('W3 a repository that git cannot read says why', async () => {
    await rename(at('.git/objects'), at('.git/objects-away'));
    await writeFile(at('src/values.ts'), 'touched\n');
    await card('Git').getByRole('alert').or(card('Git').locator('.fault, .pane-fault')).first().waitFor();
    await look('git-fault');
    await rename(at('.git/objects-away'), at('.git/objects'));
    git('checkout', '-q', '--', 'src/values.ts');
    await card('Git').getByText('Working tree clean').waitFor();
  });
});

describe.runIf(isFull)('W2 files in rare states', () => {
  test('W2 very long names, an empty folder, a link to outside, deleted files', async () => {
    await mkdir(at('empty'));
    await symlink('/etc', at('leads out'));
    await writeFile(at('\u202egnp.exe'), 'x');
    await openCard('f');
    const tree = card('Files');
    await tree.getByRole('treeitem', { name: /^empty/ }).click();
    await tree.getByRole('treeitem', { name: /^leads out/ }).waitFor();
    await look('files-tree');
    await tree.getByRole('treeitem', { name: /^a-name-that/ }).click();
    await page.getByRole('textbox', { name: /Text of a-name/ }).waitFor();
    await look('files-editor');
    await page.getByRole('tab', { name: 'Files' }).click();
    await tree.getByRole('treeitem', { name: /^a-name-that/ }).click();
    await page.getByRole('tab', { name: 'Files' }).click();
    await tree.getByRole('tree').press('Delete');
    await tree.getByRole('treeitem', { name: /^a-name-that/ }).waitFor({ state: 'detached' });
    await tree.getByRole('button', { name: 'Trash' }).click();
    await look('files-deleted');
    await tree.getByRole('button', { name: /^Restore a-name-that/ }).click();
    await tree.getByText(/^Restored /).waitFor();
    expect(existsSync(at(`${LONG}.ts`))).toBe(true);
    await tree.getByRole('button', { name: 'Show tree' }).click();
    await tree.getByRole('treeitem', { name: /^a-name-that/ }).waitFor();
  });
});

describe.runIf(isFull)('W5 W4 W1 the other cards', () => {
  test('W5 stats, W4 an empty review, W1 an ended terminal', async () => {
    await openCard('s');
    await page.getByRole('group', { name: 'Stats' }).waitFor();
    await look('stats');
    await openCard('t');
    const terminal = page.getByRole('group', { name: 'Terminal' });
    await terminal.locator('textarea').first().focus();
    await page.keyboard.type('exit 3\n');
    await terminal
      .getByText(/ended|exited/i)
      .first()
      .waitFor();
    await look('terminal-ended');
  });
});
