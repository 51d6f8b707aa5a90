// Flows of the real agent through server and browser: subagents that ask at once, tasks in the background, slash
// commands, a missing sign-in, an interrupt that leaves no process behind.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { shortAnswer } from '@tugdeck/testkit/scenarios';
import { failure, text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterEach, expect, test } from 'vitest';
import { ClaudeSession } from './claude-session.ts';
import { entries, lastRequest, rested, send, toAnother } from './deck.ts';
import { onePage } from './one-page.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

const at = onePage();

afterEach(async ({ task }) => {
  if (isFullTier && task.result?.state !== 'fail')
    await new ClaudeSession(at.deck, at.opened).leavesNothing();
});

const inProject = (name: string): string => join(at.deck.sandbox.project, name);
const agent = (description: string, prompt: string, background: boolean) =>
  toolUse('Agent', { description, prompt, subagent_type: 'general-purpose', run_in_background: background });

test('A5 C6 two subagents ask at the same time; each answer reaches the one that asked', async () => {
  const { page } = at.opened;
  at.deck.fake.script('left', [
    toolUse('Bash', { command: 'touch left.txt', description: 'Left' }),
    text('left done'),
  ]);
  at.deck.fake.script('right', [
    toolUse('Bash', { command: 'touch right.txt', description: 'Right' }),
    text('right done'),
  ]);
  at.deck.fake.script('both', [
    [agent('Left', 'SCN:left go', false), agent('Right', 'SCN:right go', false)],
    text('Both have reported.'),
  ]);
  await send(page, 'SCN:both');
  const requests = page.getByRole('group', { name: /^Permission: / });
  await requests.nth(1).waitFor();
  const right = requests.filter({ hasText: 'touch right.txt' });
  await pressAnswer(right.getByRole('button', { name: /^Deny/ }).first());
  const left = requests.filter({ hasText: 'touch left.txt' });
  await pressAnswer(left.getByRole('button', { name: /^Allow/ }).first());
  await entries(page, 'text', 'complete').getByText('Both have reported.').waitFor();
  await rested(page);
  expect(existsSync(inProject('left.txt'))).toBe(true);
  expect(existsSync(inProject('right.txt'))).toBe(false);
});

testFull('A3 a background task outlives its turn, and another turn that is stopped', async () => {
  const { page } = at.opened;
  at.deck.fake.script('background', [
    toolUse('Bash', {
      command: 'touch waits.txt; while [ ! -e go.txt ]; do sleep 0.05; done; echo went',
      run_in_background: true,
      description: 'Wait',
    }),
    text('It waits in the background.'),
  ]);
  await send(page, 'SCN:background');
  const request = page.getByRole('group', { name: /^Permission: / });
  await pressAnswer(request.getByRole('button', { name: /^Allow/ }).first());
  await entries(page, 'text', 'complete').getByText('It waits in the background.').waitFor();
  await rested(page);
  await entries(page, 'tool', 'partial').waitFor();
  await send(page, 'SCN:write');
  await request
    .getByRole('button', { name: /^Allow/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  await entries(page, 'tool', 'partial').waitFor();
  writeFileSync(inProject('go.txt'), '');
  await entries(page, 'tool', 'partial').waitFor({ state: 'hidden' });
  await rested(page);
});

test('A7 a slash command answers without the model', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete').waitFor();
  await rested(page);
  // The agent requests titles and suggestions at any time, outside the conversation.
  const calls = () => at.deck.fake.requests.filter(({ kind }) => kind === 'answer').length;
  const before = calls();
  await send(page, '/cost ');
  await entries(page, 'command', 'complete').getByText('Total cost').waitFor();
  await rested(page);
  // A command with a view opens it; an unknown command is not sent without confirmation (A15).
  await send(page, '/model ');
  const model = page.getByRole('menuitemradio', { name: /Sonnet/ }).first();
  await model.waitFor();
  await page.keyboard.press('Escape');
  await model.waitFor({ state: 'hidden' });
  await send(page, '/nonsense ');
  const asked = page.getByRole('dialog', { name: '“/nonsense” isn’t a command' });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  expect(calls()).toBe(before);
});

testFull('A8 a missing sign-in is reported at the first retry, with Stop', async () => {
  const { page } = at.opened;
  at.deck.fake.script('unsigned', [failure(401)]);
  await send(page, 'SCN:unsigned');
  await entries(page, 'notice').filter({ hasText: 'not signed in, or the key is wrong' }).first().waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete')
    .filter({ hasText: shortAnswer.replaceAll('*', '') })
    .waitFor();
});

test('H8 L8 a running command is stopped with its turn and leaves no process behind', async () => {
  const { page } = at.opened;
  at.deck.fake.script('endless', [
    toolUse('Bash', {
      command: 'echo $$ > pid.txt; while true; do sleep 0.05; done',
      description: 'Never ends',
    }),
    text('never'),
  ]);
  await send(page, 'SCN:endless');
  const request = page.getByRole('group', { name: /^Permission: / });
  await pressAnswer(request.getByRole('button', { name: /^Allow/ }).first());
  const pid = await waitFor(() => Number(readFileSync(inProject('pid.txt'), 'utf8')), {
    what: 'the command to run',
  });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  await waitGone(pid);
  await entries(page, 'tool', 'cancelled').waitFor();
});

test('A6 a fork from a message continues before it, with its text in the composer; its parent stays unchanged', async () => {
  const { page } = at.opened;
  const users = entries(page, 'user');
  at.deck.fake.script('first', [text('The first answer.')]);
  at.deck.fake.script('second', [text('The second answer.')]);
  for (const word of ['first', 'second']) {
    await send(page, `SCN:${word} thing`);
    await entries(page, 'text', 'complete').getByText(`The ${word} answer.`).waitFor();
    await rested(page);
  }
  const parent = page.url();
  await users.nth(1).hover();
  await toAnother(page, () => users.nth(1).getByRole('button', { name: 'Fork from here' }).click());
  await entries(page, 'text', 'complete').getByText('The first answer.').waitFor();
  await expect.poll(() => users.count()).toBe(1);
  const box = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => box.inputValue()).toBe('SCN:second thing');
  await box.press('Enter');
  await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
  await rested(page);
  expect(lastRequest(at.deck.fake).match(/SCN:second/g)).toHaveLength(1);
  await page.getByRole('link', { name: 'Forked from SCN:first thing' }).click();
  await page.waitForURL(parent);
  await expect.poll(() => users.count()).toBe(2);
});
