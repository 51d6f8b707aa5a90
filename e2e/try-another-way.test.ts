/**
 * "Try another way" in the timeline (T36): a second session in a new workspace, with the conversation and the files before
 * a message. With the demo agent always; with real agents, judged by the next model request, in the full tier.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OtherAgent, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { hold, text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { type Deck, type DeckOptions, entries, lastRequest, openDeck, rested, send } from './deck.ts';

afterAll(closeBrowser);

const gitIn = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });

/** A project in git with one commit. */
async function openRepository(options: DeckOptions): Promise<Deck> {
  return openDeck({
    ...options,
    prepare: async ({ project }) => {
      gitIn(project, 'init', '-q', '-b', 'main');
      gitIn(project, 'add', '-A');
      gitIn(project, 'commit', '-qm', 'Start');
      return async () => undefined;
    },
  });
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true }).last();

/** Presses the button at a turn of the timeline, and returns the folder of the new workspace. */
async function tryAnotherWay(deck: Deck, page: Page, words: string): Promise<string> {
  await page.keyboard.press('Alt+Shift+N');
  await page.getByRole('dialog', { name: 'New tab' }).waitFor();
  await page.keyboard.press('l');
  const turn = page.getByRole('group', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: words });
  const former = page.url();
  await turn.getByRole('button', { name: 'Try another way' }).click();
  await page.waitForURL((url) => url.toString() !== former && url.hash.startsWith('#/session/'));
  await expect.poll(() => box(page).inputValue()).toContain(words);
  const { stdout } = await deck.run('workspaces', 'list', '--all', '--json');
  const [row] = JSON.parse(stdout);
  return row.path;
}

async function answered(page: Page, words: string): Promise<void> {
  await entries(page, 'text', 'complete').filter({ hasText: words }).last().waitFor();
  await rested(page);
}

test('T36 another way with the demo agent: earlier messages and files in a new workspace, and nothing else changes', async () => {
  const deck = await openRepository({ withoutAgent: true });
  const { project } = deck.sandbox;
  try {
    const { page, assertNoProblems } = await deck.page();
    const allow = () =>
      pressAnswer(
        page
          .getByRole('group', { name: /^Permission: / })
          .last()
          .getByRole('button', { name: 'Allow', exact: true }),
      );
    await send(page, 'alpha');
    await answered(page, 'alpha');
    writeFileSync(join(project, 'typed.md'), 'typed before\n');
    await send(page, 'edit made.md add made');
    await allow();
    await answered(page, 'made.md');
    const head = gitIn(project, 'rev-parse', 'HEAD');
    const workspace = await tryAnotherWay(deck, page, 'made.md');
    if (isFullTier) await screenshot(page, 'try-another-way');
    await box(page).fill('');
    await send(page, 'recall');
    await answered(page, 'I remember');
    const remembered = entries(page, 'text', 'complete').filter({ hasText: 'I remember' }).locator('li');
    await expect.poll(() => remembered.allTextContents()).toEqual(['alpha']);
    expect(existsSync(join(workspace, 'made.md'))).toBe(false);
    expect(existsSync(join(workspace, 'typed.md'))).toBe(true);
    expect(gitIn(workspace, 'rev-parse', 'HEAD')).toBe(head);
    // It works there from now on.
    await send(page, 'edit other.md add other');
    await allow();
    await answered(page, 'other.md');
    expect(existsSync(join(workspace, 'other.md'))).toBe(true);
    expect(existsSync(join(project, 'other.md'))).toBe(false);
    expect(existsSync(join(project, 'made.md'))).toBe(true);
    expect(gitIn(project, 'rev-parse', 'HEAD')).toBe(head);
    assertNoProblems();
  } finally {
    await deck.close();
  }
});

const AGENTS: readonly (OtherAgent | 'claude')[] = ['claude', 'codex', 'gemini', 'opencode'];

for (const agent of AGENTS) {
  const isForking = agent === 'claude' || agent === 'codex';
  const isMissing = agent !== 'claude' && whyMissing(agent) !== undefined;
  test.skipIf(!isFullTier || isMissing)(
    `T36 another way with ${agent}: the model gets exactly the earlier messages`,
    async () => {
      const deck = await openRepository(agent === 'claude' ? {} : { agent });
      const { fake, sandbox } = deck;
      for (const word of ['alpha', 'delta']) fake.script(word, [text(`answer-${word}.`)]);
      fake.script('bravo', [text(['Half ', hold('mid'), 'answer-bravo.'])]);
      try {
        const { page } = await deck.page();
        page.setDefaultTimeout(120_000);
        await send(page, 'SCN:alpha say-alpha');
        await answered(page, 'answer-alpha.');
        await send(page, 'SCN:bravo say-bravo');
        await fake.reached('mid');
        writeFileSync(join(sandbox.project, 'made.md'), 'made by the agent\n');
        fake.release('mid');
        await answered(page, 'answer-bravo.');
        const workspace = await tryAnotherWay(deck, page, 'say-bravo');
        if (!isForking) await page.getByText('conversation-so-far.md').waitFor();
        await box(page).fill('');
        await send(page, 'SCN:delta say-delta');
        await expect.poll(() => lastRequest(fake), { timeout: 120_000 }).toContain('say-delta');
        const words = [...lastRequest(fake).matchAll(/say-(\w+)/g)].map(([, word]) => word);
        expect([...new Set(words)].toSorted()).toEqual(['alpha', 'delta']);
        expect(existsSync(join(workspace, 'made.md'))).toBe(false);
        expect(existsSync(join(sandbox.project, 'made.md'))).toBe(true);
        expect(lastRequest(fake)).toContain(workspace);
      } finally {
        await deck.close();
      }
    },
    600_000,
  );
}
