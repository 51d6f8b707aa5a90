import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile, shortAnswer } from '@tugdeck/testkit/scenarios';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { expect, test } from 'vitest';
import { entries, outcomes, rested, send } from './deck.ts';
import { onePage } from './one-page.ts';
import { OVER_SSH } from './over-ssh.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

const at = onePage();

const exists = (path: string) =>
  stat(join(at.deck.sandbox.project, path)).then(
    () => true,
    () => false,
  );

test('C2 A4 a message is sent, its answer streams and is drawn as markdown; a second one follows', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:hold please');
  await at.deck.fake.reached('mid');
  await entries(page, 'text', 'partial').getByText('The first half.').waitFor();
  await entries(page, 'user', 'complete').getByText('SCN:hold please').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await screenshot(page, 'conversation-streaming');
  at.deck.fake.release('mid');
  await entries(page, 'text', 'complete').getByText('The first half. The second half.').waitFor();
  await rested(page);
  await send(page, 'SCN:text again');
  await entries(page, 'text', 'complete')
    .filter({ hasText: shortAnswer.replaceAll('*', '') })
    .waitFor();
  await expect.poll(() => entries(page, 'text').locator('strong').innerText()).toBe('short');
  await rested(page);
  await screenshot(page, 'conversation-two-turns');
});

test('C6 a command is shown exactly, allowed, and runs', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:bash');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByText(`touch ${madeFile} && echo done`, { exact: true }).waitFor();
  expect(await exists(madeFile)).toBe(false);
  await screenshot(page, 'conversation-permission');
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await entries(page, 'text', 'complete').getByText('The file is made.').waitFor();
  expect(await exists(madeFile)).toBe(true);
  await expect.poll(() => outcomes(page).count()).toBe(1);
  await rested(page);
  await screenshot(page, 'conversation-allowed');
});

test('C21 Allow runs the command as it was edited, Deny sends the typed reason to the model', async () => {
  const { page } = at.opened;
  const bash = (command: string) => toolUse('Bash', { command, description: 'Never as it is' });
  at.deck.fake.script('typed', [
    bash('touch unedited.txt && echo done'),
    bash('touch never.txt && echo done'),
    text('Understood, I leave it.'),
  ]);
  await send(page, 'SCN:typed');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByRole('button', { name: 'Edit…' }).click();
  await request.getByRole('textbox', { name: 'Command' }).fill('touch edited.txt && echo edited');
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await outcomes(page).getByText('allowed with changes').waitFor();
  await request.getByText('touch never.txt && echo done', { exact: true }).waitFor();
  await request.getByRole('button', { name: 'Add feedback…' }).click();
  await request.getByRole('textbox', { name: 'Feedback' }).fill('Not on a Sunday');
  await pressAnswer(request.getByRole('button', { name: 'Deny', exact: true }));
  await entries(page, 'text', 'complete').getByText('Understood, I leave it.').waitFor();
  const call = await at.deck.fake.called({ keyword: 'typed', step: 2 });
  expect(JSON.stringify(call.body)).toContain('Not on a Sunday');
  expect(await Promise.all(['edited.txt', 'unedited.txt', 'never.txt'].map(exists))).toEqual([
    true,
    false,
    false,
  ]);
  await rested(page);
});

test('C10 H8 a canceled answer stays, marked, and the next message works', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:hold a long story');
  await at.deck.fake.reached('mid', { times: 2 });
  await entries(page, 'text', 'partial').getByText('The first half.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await entries(page, 'text', 'cancelled').getByText('The first half.').waitFor();
  await rested(page);
  await screenshot(page, 'conversation-cancelled');
  await send(page, 'SCN:text');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
});

test('C4 M12 an edit is drawn as a diff', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:edit');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByRole('cell', { name: 'const whom = name.trim();' }).waitFor();
  await screenshot(page, 'conversation-edit-permission');
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await entries(page, 'text', 'complete').getByText('The greeting is edited.').waitFor();
  const tool = entries(page, 'tool', 'complete');
  await tool.getByText('+2').first().waitFor();
  await rested(page);
  await screenshot(page, 'conversation-edited');
  expect(await readFile(join(at.deck.sandbox.project, 'src/greet.ts'), 'utf8')).toContain('name.trim()');
});

testFull('C7 a question is asked and answered', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:questions');
  const form = page.getByRole('form', { name: 'Question' });
  await form.getByRole('radio', { name: 'Green' }).check();
  await form.getByRole('checkbox', { name: 'Hull' }).check();
  await form.getByRole('checkbox', { name: 'Rail' }).check();
  await screenshot(page, 'conversation-question');
  await pressAnswer(form.getByRole('button', { name: 'Submit' }));
  await entries(page, 'text', 'complete').getByText('Thank you for the answers.').waitFor();
  const call = await at.deck.fake.called({ keyword: 'questions', step: 1 });
  expect(JSON.stringify(call.body)).toContain('Hull, Rail');
  await rested(page);
});

testFull('C5 thinking is drawn quietly, and folded', async () => {
  const { page } = at.opened;
  await send(page, 'SCN:thinking');
  await entries(page, 'text', 'complete').getByText('I thought about it.').waitFor();
  await expect.poll(() => entries(page, 'thinking', 'complete').count()).toBe(1);
  await rested(page);
  await screenshot(page, 'conversation-thinking');
});

test('C2 X35 a formula and a diagram are drawn by the frames that the server serves', async () => {
  const { page } = at.opened;
  at.deck.fake.script('drawn', [text('So $a^2 + b^2$.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n')]);
  await send(page, 'SCN:drawn');
  await entries(page, 'text', 'complete').getByRole('math').waitFor();
  await entries(page, 'text', 'complete').locator('figure[data-drawing=diagram] img').waitFor();
  await rested(page);
});

// Over ssh the link starts the server there again.
test.skipIf(OVER_SSH)(
  'L8 after allowed, denied and canceled commands, stop --all leaves no process, not even a running command',
  async () => {
    const { page } = at.opened;
    at.deck.fake.script('spin', [
      toolUse('Bash', { command: 'touch began && while :; do sleep 1; done', description: 'Spin' }),
    ]);
    await send(page, 'SCN:spin');
    const request = page.getByRole('group', { name: /^Permission: / });
    await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
    await waitFor(() => exists('began'), { what: 'the command to run' });
    await page.goto('about:blank');
    expect((await at.deck.run('stop', '--all')).code).toBe(0);
    expect(at.deck.sandbox.strays()).toEqual([]);
  },
);
