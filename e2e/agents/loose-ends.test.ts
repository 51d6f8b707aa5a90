/** Failures, retries and sign-ins of the other real agents, in the browser (A8, A20, A40). */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentFolder, type OtherAgent, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { attempts, cut, failure, hold, text, toolUse } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Deck, type DeckOptions, entries, openDeck, rested, send } from '../deck.ts';

const PATIENT = { timeout: 90_000 };
const isFull = process.env.TUGDECK_TEST_FULL === '1';
/** In the full tier: unit tests of the drivers check the same in a moment. */
const scene = (agent: OtherAgent) => test.skipIf(whyMissing(agent) !== undefined || !isFull);

let deck: Deck | undefined;
afterEach(async () => {
  await deck?.close();
  deck = undefined;
});
afterAll(() => closeBrowser());

async function begin(agent: OtherAgent, options: DeckOptions = {}): Promise<{ deck: Deck; page: Page }> {
  deck = await openDeck({ agent, ...options });
  const { page } = await deck.page();
  page.setDefaultTimeout(PATIENT.timeout);
  return { deck, page };
}

const answered = (page: Page, expected: string) =>
  entries(page, 'text', 'complete').filter({ hasText: expected }).first().waitFor(PATIENT);
const notice = (page: Page, expected: string | RegExp) => entries(page, 'notice').getByText(expected).first();

scene('claude-acp')(
  'A8 A20 failures are errors, a retried answer is shown once, a sign-in ends with the next answer',
  async () => {
    const {
      deck: { fake },
      page,
    } = await begin('claude-acp');
    fake.script('limit', [failure(429, { retryAfter: 0 })]);
    await send(page, 'SCN:limit');
    await notice(page, /429/).waitFor(PATIENT);
    await notice(page, 'Wait a while, then send the message again.').waitFor();
    await rested(page);
    await expect.poll(() => entries(page, 'text').count()).toBe(0);

    const half = 'Half of the truth that we know ';
    fake.script('cut', [attempts(text([half, hold('cut'), cut()]), text(`${half}is whole.`))]);
    await send(page, 'SCN:cut');
    await entries(page, 'text').getByText('Half of the truth').waitFor(PATIENT);
    fake.release('cut');
    await answered(page, 'is whole.');
    await rested(page);
    await notice(page, 'The answer was cut off.').waitFor();
    await expect.poll(() => entries(page, 'text').getByText('Half of the truth').count()).toBe(1);

    fake.script('key', [attempts(failure(401), failure(401), failure(401))]);
    await send(page, 'SCN:key');
    const form = page.getByRole('form', { name: /Sign in/ }).or(page.getByRole('group', { name: /Sign in/ }));
    await form.first().waitFor(PATIENT);
    await rested(page);
    await send(page, 'SCN:text');
    await answered(page, 'This answer is short');
    await form.first().waitFor({ state: 'detached' });
    await expect.poll(() => page.title(), PATIENT).not.toContain('(');
  },
);

scene('codex')('A40 a session that codex exec just left can be continued at once', async () => {
  const {
    deck: { sandbox, environment, fake },
    page,
  } = await begin('codex');
  fake.script('gong', [text('The gong sounds.')]);
  const program = promisify(execFile)(
    join(agentFolder('codex'), 'codex'),
    ['exec', '--skip-git-repo-check', 'Sound the gong SCN:gong'],
    { cwd: sandbox.project, env: environment },
  );
  // The agent would wait for more text.
  program.child.stdin?.end();
  await program;
  await page.locator('.session[data-origin="foreign"]').getByText('Sound the gong').click();
  await entries(page, 'user').getByText('Sound the gong').waitFor(PATIENT);
  await send(page, 'And here SCN:text');
  await answered(page, 'This answer is short');
  await expect.poll(() => page.getByText('This session is active in another program').count()).toBe(0);
});

scene('opencode')('A8 C4 a repeated beginning is shown once, and no tick stands beside exit 3', async () => {
  const {
    deck: { fake },
    page,
  } = await begin('opencode');
  const half = 'Half of the truth that we know ';
  fake.script('cut', [attempts(text([half, hold('cut'), cut()]), text(`${half}is whole.`))]);
  await send(page, 'SCN:cut');
  await entries(page, 'text').getByText('Half of the truth').waitFor(PATIENT);
  fake.release('cut');
  await answered(page, 'is whole.');
  await rested(page);
  await notice(page, 'The answer was cut off.').waitFor();
  const texts = await entries(page, 'text').allInnerTexts();
  expect(texts.join('\n').split('Half of the truth')).toHaveLength(2);
  fake.script('exit', [
    [toolUse('bash', { command: 'echo hi; exit 3', description: 'Fail' })],
    text('It failed.'),
  ]);
  await send(page, 'SCN:exit');
  await pressAnswer(
    page.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Allow', exact: true }),
  );
  await answered(page, 'It failed.');
  const tool = entries(page, 'tool').last();
  await tool.getByText('exit 3', { exact: true }).waitFor();
  await expect.poll(() => tool.locator('.tool-done').count()).toBe(0);
});

scene('gemini')('H7 A8 shows an agent that retries silently as quiet, with Stop', async () => {
  const {
    deck: { fake },
    page,
  } = await begin('gemini', { timings: { quietMs: 3_000 } });
  fake.script('endless', [failure(429, { retryAfter: 0 })]);
  await send(page, 'SCN:endless');
  const note = page.getByRole('note').filter({ hasText: 'may be retrying' });
  await note.waitFor(PATIENT);
  await page.getByText('Sent, no reply yet').waitFor();
  await note.getByRole('button', { name: 'Stop turn' }).click();
  await rested(page);
});
