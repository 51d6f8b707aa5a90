/** W3 and W4 in the real page: a repository, the demo agent that edits in it, both cards. One deck, one page. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { closeBrowser, screenshot, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Deck, openDeck, rested } from './deck.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let deck: Deck;
let opened: TestPage;
let page: Page;

const LINES = Array.from({ length: 40 }, (_, index) => `export const value${index + 1} = ${index + 1};`);
const text = (changes: Readonly<Record<number, string>> = {}) =>
  `${LINES.map((line, index) => changes[index + 1] ?? line).join('\n')}\n`;

beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true, files: { 'src/values.ts': text(), 'ü mlaut.md': 'one\n' } });
  opened = await deck.page({ width: 1280, height: 900 });
  page = opened.page;
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
afterEach(() => opened.assertNoProblems());

const at = (path: string) => join(deck.sandbox.project, path);
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: deck.sandbox.project,
    encoding: 'utf8',
    env: { ...process.env, HOME: deck.sandbox.home },
  });
async function seriousFaults(place: '.git' | '.review' | '.session-panel'): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (within) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await checker.run(within);
    const isSerious = (impact: string | null | undefined) => impact === 'serious' || impact === 'critical';
    return violations
      .filter(({ impact }) => isSerious(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }, place);
}

/** D19 D21: from the end of the turn to its changes in the panel, and from there into the dock. */
async function changesInPanel(): Promise<void> {
  await page.getByRole('log').getByRole('button', { name: 'Review 1 file' }).click();
  const panel = page.getByRole('complementary', { name: /^Panel of / });
  await panel.locator('[data-hunk]').first().waitFor();
  await panel.getByRole('button', { name: /^Compare: Since turn \d/ }).waitFor();
  await panel.getByRole('tab', { name: 'Files' }).click();
  await panel.getByRole('treeitem', { name: 'src' }).waitFor();
  await panel.getByRole('tab', { name: 'Info' }).click();
  await panel.getByText('Directory').waitFor();
  expect(await seriousFaults('.session-panel')).toEqual([]);
  await page.reload();
  await panel.getByText('Directory').waitFor();
  await panel.getByRole('tab', { name: 'Changes' }).click();
  await panel.getByRole('button', { name: 'Open changes as a tab' }).click();
  await page.getByRole('tab', { name: 'Review', exact: true }).waitFor();
  await panel.waitFor({ state: 'detached' });
}

const card = (name: 'Git' | 'Review') => page.getByRole('group', { name, exact: true });

async function openCard(letter: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press(letter);
}

test('W31 a directory becomes a repository, files are staged and committed, live and by keyboard', async () => {
  await openCard('g');
  await card('Git').getByRole('button', { name: 'Initialize repository' }).click();
  await card('Git').getByText('No commits yet').waitFor();
  git('config', 'user.name', 'Ada Example');
  git('config', 'user.email', 'ada@example.org');
  await card('Git').getByRole('button', { name: 'Stage all' }).click();
  await card('Git').getByRole('region', { name: 'Staged' }).waitFor();
  await card('Git').getByRole('textbox', { name: 'Commit message' }).fill('First');
  await page.keyboard.press('Control+Enter');
  await card('Git').getByText('Working tree clean').waitFor();
  expect(git('log', '--format=%an %s').trim()).toBe('Ada Example First');

  await writeFile(
    at('src/values.ts'),
    text({ 3: 'export const three = 3;', 30: 'export const thirty = 30;' }),
  );
  await writeFile(at('new file.txt'), 'new\n');
  await card('Git')
    .getByRole('button', { name: /values\.ts/ })
    .first()
    .click();
  const hunks = card('Git').locator('[data-hunk]');
  await hunks.nth(1).waitFor();
  // The whole status has arrived: no render can move the focus now.
  await card('Git').getByRole('region', { name: 'Untracked' }).getByText('new file.txt').waitFor();
  await screenshot(page, 'git-dark-1280');
  expect(await seriousFaults('.git')).toEqual([]);
  await hunks.nth(0).focus();
  await page.keyboard.press('j');
  await hunks.nth(1).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('s');
  await card('Git').getByRole('region', { name: 'Staged' }).waitFor();
  await waitFor(() => git('show', ':src/values.ts') === text({ 30: 'export const thirty = 30;' }), {
    what: 'the second hunk to be staged alone',
  });
  // The page is updated a little later; a hunk that disappears takes the focus with it.
  await expect.poll(() => hunks.count()).toBe(1);
  await hunks.first().focus();
  await page.keyboard.press('Escape');
  await card('Git').locator('[data-hunk]').first().waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('git-row-main');

  const untracked = card('Git').getByRole('region', { name: 'Untracked' }).locator('.git-row-main');
  await untracked.focus();
  await page.keyboard.press('d');
  await pressAnswer(
    page.getByRole('dialog', { name: 'Discard changes?' }).getByRole('button', { name: 'Discard' }),
  );
  await untracked.waitFor({ state: 'detached' });
});

test('W33 history and branches are shown, and a conflict is resolved', async () => {
  git('add', '-A');
  git('commit', '-qm', 'second');
  git('branch', '-M', 'main');
  git('checkout', '-qb', 'side');
  await writeFile(at('ü mlaut.md'), 'side\n');
  git('commit', '-qam', 'On the side');
  git('checkout', '-q', 'main');
  await writeFile(at('ü mlaut.md'), 'main\n');
  git('commit', '-qam', 'On main');
  await card('Git').getByRole('button', { name: 'History' }).click();
  await card('Git').getByRole('checkbox', { name: 'All branches' }).check();
  await card('Git')
    .getByRole('button', { name: /On the side/ })
    .waitFor();
  await card('Git')
    .getByRole('button', { name: /On main/ })
    .click();
  await card('Git')
    .getByRole('button', { name: /ü mlaut\.md/ })
    .click();
  await card('Git').locator('.diff-text', { hasText: 'main' }).waitFor();
  await screenshot(page, 'git-history');
  try {
    git('merge', 'side');
  } catch {
    // It ends in a conflict, as it should.
  }
  await card('Git').getByRole('button', { name: 'Changes' }).click();
  await card('Git').getByText('Merge in progress').waitFor();
  await card('Git').getByRole('region', { name: 'Conflicts' }).locator('.git-row-main').click();
  await card('Git').locator('.git-resolve').getByText('changed on both sides').waitFor();
  await screenshot(page, 'git-conflict');
  await card('Git').getByRole('button', { name: 'Use theirs' }).click();
  await card('Git').getByRole('region', { name: 'Conflicts' }).waitFor({ state: 'detached' });
  expect(await readFile(at('ü mlaut.md'), 'utf8')).toBe('side\n');
  await card('Git').getByRole('textbox', { name: 'Commit message' }).fill('Merged');
  await card('Git').getByRole('button', { name: 'Commit', exact: true }).click();
  await card('Git').getByText('Working tree clean').waitFor();
});

test('W35 changes are stashed, viewed in the stash, and restored', async () => {
  await writeFile(at('ü mlaut.md'), 'stashed\n');
  await card('Git').getByRole('button', { name: 'Stashes' }).click();
  await card('Git').getByRole('textbox', { name: 'Stash message' }).fill('For later');
  await card('Git').getByRole('button', { name: 'Stash', exact: true }).click();
  const stash = card('Git').getByRole('button', { name: /For later/ });
  await stash.click();
  await card('Git')
    .getByRole('button', { name: /ü mlaut\.md/ })
    .click();
  await card('Git').locator('.diff-text', { hasText: 'stashed' }).waitFor();
  expect(await readFile(at('ü mlaut.md'), 'utf8')).toBe('side\n');
  await card('Git').locator('.git-stash-acts').getByRole('button').first().click();
  await stash.waitFor({ state: 'detached' });
  await waitFor(() => readFileSync(at('ü mlaut.md'), 'utf8') === 'stashed\n', {
    what: 'the stashed change',
  });
  await card('Git').getByRole('button', { name: 'Changes' }).click();
  git('checkout', '-q', '--', '.');
  await card('Git').getByText('Working tree clean').waitFor();
});

test('W4 reviews, reverts, undoes and comments on the agent’s changes', async () => {
  await page
    .getByRole('tab', { name: /session|Demo/i })
    .first()
    .click();
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('edit src/values.ts replace value5 with valueFive');
  await page.keyboard.press('Enter');
  await pressAnswer(page.getByRole('button', { name: 'Allow', exact: true }));
  await rested(page);
  await changesInPanel();
  const review = card('Review');
  await review.locator('[data-hunk]').first().waitFor();
  await screenshot(page, 'review-dark-1280');
  await review.getByRole('button', { name: 'Revert', exact: true }).first().click();
  await review.getByText('Reverted a change in').waitFor();
  await review.getByText('No changes').waitFor();
  expect(await readFile(at('src/values.ts'), 'utf8')).not.toContain('valueFive');
  await review.getByRole('button', { name: 'Undo' }).click();
  await review.locator('[data-hunk]').first().waitFor();
  expect(await readFile(at('src/values.ts'), 'utf8')).toContain('valueFive');

  await review.locator('[data-hunk]').first().focus();
  await page.keyboard.press('a');
  await review.getByRole('button', { name: 'Accepted' }).waitFor();
  await review.locator('[data-hunk]').first().focus();
  await page.keyboard.press('c');
  await review.getByRole('textbox', { name: /Comment on line/ }).fill('Why this name?');
  await page.keyboard.press('Control+Enter');
  await review.getByRole('button', { name: 'Send 1 comment' }).click();
  await review.getByText('I’ve read your comment on').waitFor();
  await screenshot(page, 'review-answered');
  expect(await seriousFaults('.review')).toEqual([]);
  await review.getByRole('checkbox', { name: 'Viewed' }).first().check();
  await review.getByText('1 of 1 file viewed').waitFor();
  await page.reload();
  await card('Review').getByText('1 of 1 file viewed').waitFor();
  await rm(at('src/values.ts'));
  await card('Review').getByText('deleted').waitFor();
});
