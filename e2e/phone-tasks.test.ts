/** Ten tasks on a phone, by touch only and by what is on the screen: nothing but taps, swipes and typed text. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { atRest } from '@tugdeck/testkit/frames';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { hasOpenssl } from '@tugdeck/testkit/tls-proxy';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPhoneWorld, type PhoneWorld } from './phone-world.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe.runIf(isFullTier && hasOpenssl())('tasks by touch', () => {
  let world: PhoneWorld;
  let phone: TestPage;
  let page: Page;
  beforeAll(async () => {
    world = await openPhoneWorld();
    await world.start('run echo from-the-first', false);
    await world.start('run echo from-the-second', false);
    await world.start('say the word is persimmon', true);
    phone = await world.phone('Phone');
    page = phone.page;
  }, 300_000);
  afterAll(async () => {
    phone?.assertNoProblems();
    await world?.close();
    await closeBrowser();
  });

  const bar = (name: string) =>
    page.getByRole('navigation', { name: 'Go to' }).getByRole('button', { name }).tap();
  const tab = (name: string) => page.getByRole('tab', { name }).filter({ visible: true }).last().tap();
  const card = (name: string | RegExp) => page.getByRole('article', { name }).first();
  const log = () => page.getByRole('log', { name: 'Conversation' });

  /** Taps until the page accepts it: right after something appeared it asks for another tap. */
  async function answer(button: Locator, until: () => Promise<boolean>): Promise<void> {
    await expect
      .poll(
        async () => {
          if (await until()) return true;
          if (await button.isVisible()) {
            await atRest(button);
            await button.tap();
          }
          return until();
        },
        { interval: 700, timeout: 60_000 },
      )
      .toBe(true);
  }
  /**
   * Until the new session is in front, what the last one had there is still on the screen; and right after a message was
   * sent, New still returns to its session.
   */
  async function openNew(): Promise<void> {
    const isOpen = () => page.getByRole('heading', { name: 'What do you want to work on?' }).isVisible();
    await expect
      .poll(
        async () => {
          if (!(await isOpen())) await bar('New');
          return isOpen();
        },
        { interval: 500, timeout: 60_000 },
      )
      .toBe(true);
  }
  async function start(prompt: string): Promise<void> {
    await openNew();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.tap();
    await box.fill(prompt);
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
  }

  test('D8 D15 two requests are answered on Home', async () => {
    await bar('Home');
    for (const word of ['first', 'second']) {
      const request = card(new RegExp(word));
      await request.getByRole('button', { name: 'Allow' }).waitFor();
      await answer(request.getByRole('button', { name: 'Allow' }), async () =>
        ['0'].includes(String(await request.getByRole('button', { name: 'Allow' }).count())),
      );
    }
    const left = page.getByRole('region', { name: /^Needs you/ }).getByRole('article');
    await expect.poll(() => left.count()).toBe(0);
  });

  test('D8 D21 an edit is allowed, its diff read, and the hunk reverted', async () => {
    const file = join(world.deck.sandbox.project, 'src/prices.ts');
    await start('edit src/prices.ts add export const tax = 7;');
    await answer(log().getByRole('button', { name: 'Allow', exact: true }), async () =>
      (await readFile(file, 'utf8')).includes('tax = 7'),
    );
    await page
      .getByRole('button', { name: /^Review/ })
      .first()
      .tap();
    await page.getByText('export const tax = 7;').filter({ visible: true }).last().waitFor();
    const revert = page.getByRole('button', { name: /^Revert (lines|hunk|this)/i }).filter({ visible: true });
    const any = revert.or(page.getByRole('button', { name: 'Revert' }).filter({ visible: true })).last();
    // A finger's size.
    expect((await any.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await any.tap();
    await expect.poll(() => readFile(file, 'utf8')).not.toContain('tax = 7');
    await tab('Chat');
  });

  test('C9 N51 a session starts with a photo', async () => {
    await openNew();
    await page.getByRole('button', { name: 'Attach files' }).filter({ visible: true }).tap();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Choose photos' }).tap();
    await (await chooser).setFiles([{ name: 'tree.png', mimeType: 'image/png', buffer: PNG }]);
    await page.getByRole('list', { name: 'Files to send' }).getByRole('listitem').first().waitFor();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.tap();
    await box.fill('say what a tree');
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await log().locator('article[data-entry-kind=user]').getByText('tree.png').waitFor();
  });

  test('C10 an agent is stopped', async () => {
    await start('slow 3000');
    await page.getByRole('button', { name: 'Stop', exact: true }).tap();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });
    await log().getByText('Interrupted').first().waitFor();
  });

  test('W16 a command runs in the terminal, and the key row recalls and interrupts', async () => {
    await tab('Terminal');
    const terminal = page.getByRole('group', { name: 'Terminal' }).filter({ visible: true });
    const screen = terminal.locator('.xterm');
    await screen.waitFor();
    await screen.tap();
    const shown = join(world.deck.sandbox.project, 'typed.txt');
    await writeFile(shown, '');
    await page.keyboard.insertText('echo one >> typed.txt');
    await page.keyboard.press('Enter');
    await expect.poll(() => readFile(shown, 'utf8')).toBe('one\n');
    const keys = terminal.getByRole('toolbar', { name: 'Terminal keys' });
    await keys.getByRole('button', { name: 'Up' }).tap();
    await page.keyboard.press('Enter');
    await expect.poll(() => readFile(shown, 'utf8')).toBe('one\none\n');
    await page.keyboard.insertText('sleep 600; echo never >> typed.txt');
    await page.keyboard.press('Enter');
    await keys.getByRole('button', { name: 'Ctrl', exact: true }).tap();
    await page.keyboard.insertText('c');
    await page.keyboard.insertText('echo two >> typed.txt');
    await page.keyboard.press('Enter');
    await expect.poll(() => readFile(shown, 'utf8')).toBe('one\none\ntwo\n');
    await tab('Chat');
  });

  test('S5 a conversation is found by a word', async () => {
    await bar('Home');
    await page.getByRole('banner').getByRole('button', { name: 'Search or run…' }).tap();
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('persimmon');
    await palette
      .getByRole('option')
      .filter({ hasText: /Search conversations|persimmon/ })
      .first()
      .tap();
    const results = page.getByRole('listbox', { name: 'Results' });
    if (await results.isVisible()) await results.getByRole('option').first().tap();
    await log().getByText('persimmon').first().waitFor();
  });

  test('S4 D8 another project is added and opened', async () => {
    await bar('Sessions');
    const projects = page.getByRole('navigation', { name: 'Projects' });
    await projects.getByRole('button', { name: 'Add project' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Add project' });
    await dialog.getByRole('textbox', { name: 'Path' }).fill(world.deck.sandbox.root);
    await dialog.getByRole('button', { name: 'Add', exact: true }).tap();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('.phone-title-place').first().innerText()).not.toContain('orchard');
  });

  test('W4 stats are read', async () => {
    await bar('Home');
    await page.getByRole('banner').getByRole('button', { name: 'Search or run…' }).tap();
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('stats');
    await palette.getByRole('option', { name: /Open stats/ }).tap();
    await page.getByRole('group', { name: 'Stats' }).getByText('Memory', { exact: true }).first().waitFor();
  });

  test('D8 a swipe goes back, and the device signs out', async () => {
    await bar('Home');
    await page.getByRole('banner').getByRole('button', { name: 'Settings' }).tap();
    const settings = page.getByRole('group', { name: 'Settings' });
    const out = settings.getByRole('button', { name: 'Sign out', exact: true }).last();
    await settings
      .getByRole('button', { name: 'Access' })
      .or(settings.getByRole('link', { name: 'Access' }))
      .first()
      .tap();
    await out.tap();
    await page.getByLabel('Password').waitFor();
  });
});
