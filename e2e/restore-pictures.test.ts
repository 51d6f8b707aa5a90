/** Pictures of the preview and the result of a restore, and of the timeline: `npm run test:full`, or TUGDECK_SCREENS=1. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

const isWanted = process.env.TUGDECK_TEST_FULL === '1' || process.env.TUGDECK_SCREENS === '1';
const SIZES = [
  { name: '1440-dark', theme: 'dark', width: 1440, height: 900 },
  { name: '1440-light', theme: 'light', width: 1440, height: 900 },
  { name: '390-dark', theme: 'dark', width: 390, height: 844 },
  { name: '390-light', theme: 'light', width: 390, height: 844 },
] as const;

let deck: Deck;
beforeAll(async () => {
  if (isWanted) deck = await openDeck({ withoutAgent: true, projectName: 'orchard' });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

async function edit(page: Page, words: string): Promise<void> {
  await send(page, words);
  const allow = page
    .getByRole('group', { name: /^Permission: / })
    .getByRole('button', { name: 'Allow', exact: true });
  await pressAnswer(allow);
  await entries(page, 'text', 'complete').last().waitFor();
  await rested(page);
}

/** A narrow page draws only the last messages. */
async function scrollUpTo(page: Page, message: Locator): Promise<void> {
  const log = page.getByRole('log', { name: 'Conversation' });
  await entries(page, 'text', 'complete').last().waitFor();
  await expect
    .poll(async () => {
      await log.evaluate((node) => node.scrollTo(0, 0));
      return message.count();
    })
    .toBe(1);
}

test.runIf(isWanted)(
  'T11 T22 T34 pictures of the preview, the conversation after a restore, and the timeline',
  async () => {
    const at = (name: string) => join(deck.sandbox.project, name);
    mkdirSync(at('src'), { recursive: true });
    writeFileSync(at('src/search.ts'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
    writeFileSync(at('src/login.ts'), 'one\ntwo\nthree\nfour\nfive\nsix\n');
    writeFileSync(at('src/app.ts'), 'start\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: deck.sandbox.project,
      });
    git('init', '-q', '-b', 'search');
    git('add', '-A');
    git('commit', '-qm', 'Start');
    const opened = await Promise.all(SIZES.map((size) => deck.page(size)));
    const [first] = opened;
    if (!first) throw new Error('no page');
    const { page } = first;
    await send(page, 'hello');
    await rested(page);
    await edit(page, 'edit src/search.ts replace three with tree');
    await edit(page, 'edit src/login.ts replace two with zwei');
    git('commit', '-qam', 'Index the search');
    await edit(page, 'edit src/app.ts replace start with begin');
    await edit(page, 'edit src/cache.ts add export const cache = new Map();');
    writeFileSync(
      at('src/login.ts'),
      readFileSync(at('src/login.ts'), 'utf8').replace('six', 'six, typed by me'),
    );
    writeFileSync(at('src/app.ts'), 'mine\n');
    const session = /session\/([\w-]+)/.exec(page.url())?.[1] ?? '';
    for (const [index, { page: one }] of opened.entries()) {
      const name = SIZES[index]?.name ?? '';
      if (one !== page) await one.goto(`${deck.origin}/#/session/${session}`);
      const message = entries(one, 'user').filter({ hasText: 'src/search.ts' });
      await scrollUpTo(one, message);
      await message.getByRole('button', { name: 'Restore to here' }).focus(); // Unlike hovering, it outlasts scrolling.
      await message.getByRole('button', { name: 'Restore to here' }).click();
      const dialog = one.getByRole('dialog', { name: 'Restore to here' });
      await dialog.getByText('Before “edit src/search.ts').waitFor();
      await dialog.getByText('src/cache.ts').waitFor();
      await dialog.getByRole('button', { name: 'src/login.ts' }).click();
      await dialog.locator('.restore-patch').waitFor();
      await screenshot(one, `restore-preview-${name}`);
      await dialog.locator('.restore-body').evaluate((node) => node.scrollTo(0, node.scrollHeight));
      await screenshot(one, `restore-preview-end-${name}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    }
    const message = entries(page, 'user').filter({ hasText: 'src/search.ts' });
    await message.getByRole('button', { name: 'Restore to here' }).focus(); // Unlike hovering, it outlasts scrolling.
    await message.getByRole('button', { name: 'Restore to here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore to here' });
    await dialog.getByText('src/cache.ts').waitFor();
    await pressAnswer(dialog.getByRole('button', { name: 'Restore', exact: true }));
    for (const [index, { page: one }] of opened.entries()) {
      await one.getByRole('article', { name: 'Restore' }).getByText('hidden').waitFor();
      await screenshot(one, `restore-after-${SIZES[index]?.name}`);
      if (index > 0) continue;
      await one.getByRole('article', { name: 'Restore' }).getByRole('button', { name: 'Show' }).click();
      await expect.poll(() => entries(one, 'user').count()).toBeGreaterThan(1);
      await screenshot(one, 'restore-after-shown');
    }
    for (const [index, { page: one }] of opened.entries()) {
      await one.keyboard.press('Alt+Shift+N');
      await one.getByRole('dialog', { name: 'New tab' }).waitFor();
      await one.keyboard.press('l');
      const list = one.getByRole('list', { name: 'Turns and restores, newest first' });
      await list.getByText('Index the search').waitFor();
      await screenshot(one, `timeline-${SIZES[index]?.name}`);
    }
  },
  600_000,
);
