// Flows of the real agent through server and browser: subagents that ask at once, tasks in the background, slash
// commands, a missing sign-in, an interrupt that leaves no process behind.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { shortAnswer } from '@tugdeck/testkit/scenarios';
import { failure, text, toolUse } from '@tugdeck/testkit/script';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

let deck: Deck;
let opened: TestPage;

beforeAll(async () => {
  deck = await openDeck();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
beforeEach(async () => {
  opened = await deck.page();
  await newSession(opened.page);
});
afterEach(async () => {
  opened.assertNoProblems();
  await opened.close();
});

const inProject = (name: string): string => join(deck.sandbox.project, name);
const agent = (description: string, prompt: string, background: boolean) =>
  toolUse('Agent', { description, prompt, subagent_type: 'general-purpose', run_in_background: background });

test('A5 C6 two subagents ask at the same time; each answer reaches the one that asked', async () => {
  const { page } = opened;
  deck.fake.script('left', [
    toolUse('Bash', { command: 'touch left.txt', description: 'Left' }),
    text('left done'),
  ]);
  deck.fake.script('right', [
    toolUse('Bash', { command: 'touch right.txt', description: 'Right' }),
    text('right done'),
  ]);
  deck.fake.script('both', [
    [agent('Left', 'SCN:left go', false), agent('Right', 'SCN:right go', false)],
    text('Both have reported.'),
  ]);
  await send(page, 'SCN:both');
  const requests = page.getByRole('group', { name: /^Permission: / });
  await requests.nth(1).waitFor();
  const right = requests.filter({ hasText: 'touch right.txt' });
  await right.getByRole('button', { name: /^Deny/ }).first().click();
  const left = requests.filter({ hasText: 'touch left.txt' });
  await left
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click();
  await entries(page, 'text', 'complete').getByText('Both have reported.').waitFor();
  await rested(page);
  expect(existsSync(inProject('left.txt'))).toBe(true);
  expect(existsSync(inProject('right.txt'))).toBe(false);
});

test('A3 a task goes on in the background after its turn, also when another turn is stopped, until it ends', async () => {
  const { page } = opened;
  deck.fake.script('background', [
    toolUse('Bash', {
      command: 'touch waits.txt; while [ ! -e go.txt ]; do sleep 0.05; done; echo went',
      run_in_background: true,
      description: 'Wait',
    }),
    text('It waits in the background.'),
  ]);
  await send(page, 'SCN:background');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click();
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
  const { page } = opened;
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete').waitFor();
  await rested(page);
  const calls = deck.fake.requests.length;
  await send(page, '/cost ');
  await entries(page, 'command', 'complete').getByText('Total cost').waitFor();
  await rested(page);
  // One that we have a place for opens that; one that nobody knows is not sent by the way (A15).
  await send(page, '/model ');
  await page
    .getByRole('menuitemradio', { name: /Sonnet/ })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await send(page, '/nonsense ');
  const asked = page.getByRole('dialog', { name: 'There is no command /nonsense' });
  await asked.getByRole('button', { name: 'Cancel' }).click();
  expect(deck.fake.requests).toHaveLength(calls);
});

test('A8 who is not signed in is told so at the first try, and can stop', async () => {
  const { page } = opened;
  deck.fake.script('unsigned', [failure(401)]);
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
  const { page } = opened;
  deck.fake.script('endless', [
    toolUse('Bash', {
      command: 'echo $$ > pid.txt; while true; do sleep 0.05; done',
      description: 'Never ends',
    }),
    text('never'),
  ]);
  await send(page, 'SCN:endless');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click();
  await waitFor(() => existsSync(inProject('pid.txt')), { what: 'the command to run' });
  const pid = Number(readFileSync(inProject('pid.txt'), 'utf8'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  await waitGone(pid);
  await entries(page, 'tool', 'cancelled').waitFor();
});

test('A6 a fork goes on in a copy, whole or up to a message; the session it came from stays as it is', async () => {
  const { page } = opened;
  const users = entries(page, 'user');
  const box = page.getByRole('textbox', { name: 'Message' });
  deck.fake.script('first', [text('The first answer.')]);
  deck.fake.script('second', [text('The second answer.')]);
  deck.fake.script('third', [text('Said in the copy only.')]);
  await send(page, 'SCN:first of all');
  await entries(page, 'text', 'complete').getByText('The first answer.').waitFor();
  await rested(page);
  await send(page, 'SCN:second thing');
  await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
  await rested(page);
  const parent = page.url();

  await page.getByRole('button', { name: 'Card menu' }).click();
  await page.getByRole('menuitem', { name: /^Fork/ }).click();
  await page.waitForURL((url) => url.href !== parent);
  await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
  await send(page, 'SCN:third thing');
  await entries(page, 'text', 'complete').getByText('Said in the copy only.').waitFor();
  await rested(page);
  // The model was told all of the conversation that was copied.
  expect(JSON.stringify(deck.fake.requests.at(-1))).toContain('The second answer.');
  await page.getByRole('link', { name: 'Forked from SCN:first of all' }).click();
  await page.waitForURL(parent);
  await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
  expect(await users.count()).toBe(2);

  const second = users.nth(1);
  await second.hover();
  await second.getByRole('button', { name: 'Fork from here' }).click();
  await page.waitForURL((url) => url.href !== parent);
  await entries(page, 'text', 'complete').getByText('The first answer.').waitFor();
  expect(await users.count()).toBe(1);
  expect(await box.inputValue()).toBe('SCN:second thing');
  await box.press('Enter');
  await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
  await rested(page);
  expect(JSON.stringify(deck.fake.requests.at(-1)).match(/SCN:second/g)).toHaveLength(1);

  const first = users.first();
  await first.hover();
  await first.getByRole('button', { name: 'Fork from here' }).click();
  await expect.poll(() => box.inputValue()).toBe('SCN:first of all');
  expect(await users.count()).toBe(0);
});

test('X6 what a project brings is shown before it takes effect; without trust the agent starts without it', async () => {
  const { page } = opened;
  const folder = join(deck.sandbox.root, 'brought');
  mkdirSync(join(folder, '.claude'), { recursive: true });
  const hook = { hooks: [{ type: 'command', command: 'touch hook-ran.txt' }] };
  writeFileSync(
    join(folder, '.claude/settings.json'),
    JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }),
  );
  const ran = () => existsSync(join(folder, 'hook-ran.txt'));
  await page.getByRole('button', { name: 'Add project' }).first().click();
  const adding = page.getByRole('dialog', { name: 'Add project' });
  await adding.getByRole('textbox', { name: 'Path' }).fill(folder);
  await adding.getByRole('button', { name: 'Add' }).click();
  await adding.waitFor({ state: 'hidden' });
  const before = page.url();
  await page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('button', { name: 'New session' })
    .first()
    .click();
  const creating = page.getByRole('dialog', { name: 'New session' });
  await creating.getByLabel('Project').selectOption('brought');
  await creating.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL((url) => url.href !== before);
  const question = page.getByRole('dialog', { name: 'Trust this project?' });
  await question.getByText('UserPromptSubmit: touch hook-ran.txt').waitFor();
  await question.getByRole('button', { name: 'Start without them' }).click();
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete').waitFor();
  await rested(page);
  expect(ran()).toBe(false);
  await page.getByRole('button', { name: 'Review' }).click();
  await question.getByRole('button', { name: 'Trust', exact: true }).click();
  await page.getByRole('note').filter({ hasText: 'runs without' }).waitFor({ state: 'hidden' });
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete').nth(1).waitFor();
  await rested(page);
  expect(ran()).toBe(true);
});
