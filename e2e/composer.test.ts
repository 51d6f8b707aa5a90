/** The composer with the real agent: attachments, completions and choices reach it. */
import { screenshot } from '@tugdeck/testkit/browser';
import { text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { entries, rested } from './deck.ts';
import { onePage } from './one-page.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const at = onePage({
  files: { 'src/lantern/glow-worm.ts': 'export const glow = 1;\n', 'ways about it.md': '# Ways\n' },
});

const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });

async function attach(
  page: Page,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await chooser).setFiles(files);
}

testFull('C9 A12 an image and a text file reach the model and are drawn under the message', async () => {
  const { page } = at.opened;
  at.deck.fake.script('attached', [text('I see both.')]);
  await attach(page, [
    { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
    { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\nmarigold,2\n') },
  ]);
  await box(page).fill('SCN:attached What are these?');
  await box(page).press('Enter');
  await entries(page, 'text', 'complete').getByText('I see both.').waitFor();
  const body = JSON.stringify((await at.deck.fake.called({ keyword: 'attached', step: 0 })).body);
  expect(body).toContain('"media_type":"image/png"');
  expect(body).toContain('marigold,2');
  const message = entries(page, 'user', 'complete');
  await message.getByText('list.csv').waitFor();
  await message.getByRole('button', { name: 'Show dot.png' }).click();
  await page.getByRole('dialog', { name: 'dot.png' }).getByRole('img').waitFor();
  await page.keyboard.press('Escape');
  await rested(page);
  await screenshot(page, 'composer-attached');
});

test('X2 A12 a file larger than a frame is uploaded and reaches the model whole', async () => {
  const { page } = at.opened;
  at.deck.fake.script('large', [text('That is long.')]);
  const lines = Array.from({ length: 12_000 }, (_, index) => `line ${index} of a rather long file`);
  const last = 'the very last line of it';
  await attach(page, [
    { name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from([...lines, last].join('\n')) },
  ]);
  await box(page).fill('SCN:large Read it');
  await box(page).press('Enter');
  await entries(page, 'text', 'complete').getByText('That is long.').waitFor();
  const body = JSON.stringify((await at.deck.fake.called({ keyword: 'large', step: 0 })).body);
  expect(body).toContain('line 0 of a rather long file');
  expect(body).toContain(last);
  await rested(page);
});

testFull('C9 @ completes a file of the project, with a folder on the way', async () => {
  const { page } = at.opened;
  at.deck.fake.script('mention', [text('I have read it.')]);
  await box(page).pressSequentially('SCN:mention Explain @glow');
  const files = page.getByRole('listbox', { name: 'Files' });
  await files.getByRole('option', { name: /glow-worm\.ts/, selected: true }).waitFor();
  await screenshot(page, 'composer-files');
  await page.keyboard.press('Enter');
  await expect.poll(() => box(page).inputValue()).toBe('SCN:mention Explain @src/lantern/glow-worm.ts ');
  await page.keyboard.type('and @ways');
  await files.getByRole('option', { name: /ways about it\.md/ }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => box(page).inputValue()).toMatch(/@"ways about it\.md" $/);
  await page.keyboard.press('Enter');
  await entries(page, 'text', 'complete').getByText('I have read it.').waitFor();
  const body = JSON.stringify((await at.deck.fake.called({ keyword: 'mention', step: 0 })).body);
  expect(body).toContain('src/lantern/glow-worm.ts');
  await rested(page);
});

test('C9 / completes one of the agent’s own commands', async () => {
  const { page } = at.opened;
  await box(page).focus();
  const commands = page.getByRole('listbox', { name: 'Commands' });
  await box(page).pressSequentially('/contex');
  await commands.getByRole('option', { name: /\/context/, selected: true }).waitFor();
  await screenshot(page, 'composer-commands');
  await page.keyboard.press('Tab');
  await expect.poll(() => box(page).inputValue()).toBe('/context ');
});

testFull('C14 the menu stops and restarts the agent, and the conversation continues', async () => {
  const { page } = at.opened;
  await box(page).fill('SCN:text first');
  await box(page).press('Enter');
  await entries(page, 'text', 'complete').first().waitFor();
  await rested(page);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Rename');
  await page.getByRole('textbox', { name: 'Title' }).fill('Named by me');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: /Named by me/ }).waitFor();
  await choose('Restart agent');
  await box(page).fill('SCN:text second');
  await box(page).press('Enter');
  await entries(page, 'text', 'complete').nth(1).waitFor();
  await rested(page);
});
