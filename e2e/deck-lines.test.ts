/**
 * Rules of the specification about server and deck that only a browser can show (full tier): one deck for all. Other files
 * test S2 and S5 (access, sidebar), A40 and A42 (external-sessions).
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { closeBrowser, launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { waitGone } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connected, type Deck, drawnForm, entries, newSession, openDeck, rested, send } from './deck.ts';

describe.runIf(isFullTier)('the deck, line by line', () => {
  let deck: Deck;
  let opened: TestPage;
  let page: Page;

  beforeAll(async () => {
    deck = await openDeck({ withoutAgent: true });
    opened = await deck.page();
    ({ page } = opened);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });

  async function command(words: string): Promise<void> {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill(words);
    await palette.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'hidden' });
  }

  test('S1 a page has one socket, and every frame on it begins with its feed and channel', async () => {
    const sockets: string[] = [];
    const frames: (string | Buffer)[] = [];
    page.on('websocket', (socket) => {
      sockets.push(new URL(socket.url()).pathname);
      socket.on('framesent', ({ payload }) => frames.push(payload));
      socket.on('framereceived', ({ payload }) => frames.push(payload));
    });
    await page.reload();
    await connected(page);
    await send(page, 'think of the socket');
    await entries(page, 'text', 'complete').first().waitFor();
    await rested(page);
    expect(sockets).toEqual(['/ws']);
    // Both sides prove themselves first.
    const [server, own, ...rest] = frames;
    for (const proof of [server, own]) expect(JSON.parse(String(proof))).toHaveProperty('proof');
    expect(rest.length).toBeGreaterThan(4);
    for (const frame of rest) {
      // Bytes, not text; the first channel is the deck's, others are small numbers.
      expect(Buffer.isBuffer(frame)).toBe(true);
      expect((frame as Buffer).readUInt32BE(1)).toBeLessThan(64);
    }
  });

  test('S3 a page that stops reading slows down no other page, and catches up when it reads again', async () => {
    const slow = await deck.page();
    const session = page.url().split('#')[1] ?? '';
    await slow.page.evaluate((hash) => {
      location.hash = hash;
    }, session);
    await entries(slow.page, 'text', 'complete').first().waitFor();
    const debug = await slow.context.newCDPSession(slow.page);
    await debug.send('Debugger.enable');
    const paused = new Promise((resolve) => debug.once('Debugger.paused', resolve));
    await debug.send('Debugger.pause');
    // The earlier answer may be too far up to be drawn.
    const flooded = (on: Page) => entries(on, 'text', 'complete').filter({ hasText: 'Line 300 of 300' });
    await send(page, 'flood 300');
    await paused;
    await flooded(page).waitFor();
    await rested(page);
    await debug.send('Debugger.disable');
    await flooded(slow.page).waitFor();
    expect(await drawnForm(flooded(slow.page))).toBe(await drawnForm(flooded(page)));
    await slow.close();
  });

  test('S6 a deleted search index is rebuilt and finds earlier text', async () => {
    const { serverPid } = deck;
    await deck.run('stop');
    await waitGone(serverPid);
    const { search } = dataDirectory(deck.sandbox.data);
    for (const part of ['', '-wal', '-shm']) await rm(`${search}${part}`, { force: true });
    await deck.startServer();
    await connected(page);
    await page.keyboard.press('Control+Shift+F');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const box = dialog.getByRole('combobox', { name: 'Search all conversations' });
    const hits = dialog.getByRole('listbox', { name: 'Results' }).getByRole('option');
    const answer = dialog.getByRole('status').filter({ hasText: /^(No results|\d+ results?)/ });
    await expect
      .poll(async () => {
        await box.fill('');
        await box.fill('think of the socket');
        await answer.waitFor();
        return hits.count();
      })
      .toBeGreaterThan(0);
    await page.keyboard.press('Escape');
  });

  test('D4 D11 the review is found in the palette; closing its card leaves the session', async () => {
    await command('review changes');
    const tab = page.getByRole('tab', { name: /Review/ });
    await tab.waitFor();
    await command('close tab');
    await tab.waitFor({ state: 'detached' });
    await send(page, 'think once more');
    await entries(page, 'user').getByText('think once more').waitFor();
    await rested(page);
  });

  test('D12 L2 `tugdeck DIR` opens its project with a session that is ready for a message', async () => {
    const folder = join(deck.sandbox.project, '..', 'dropped');
    await mkdir(folder);
    await deck.run('--no-open', folder);
    await page.getByRole('button', { name: 'Project: dropped' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await newSession(page);
  });

  test('W6 Settings shows a change of the file at once, and reports a file that can’t be read', async () => {
    const { config } = dataDirectory(deck.sandbox.data);
    await command('open settings');
    const settings = page.getByRole('group', { name: 'Settings' });
    const text = settings.getByRole('textbox', { name: 'Configuration' });
    await text.waitFor();
    await settings.getByText('Set by the command line or environment: ').waitFor();
    const before = JSON.parse(await readFile(config, 'utf8')) as object;
    await writeFile(config, JSON.stringify({ ...before, builds: { look: 'echo changed' } }));
    await expect.poll(() => text.inputValue()).toContain('echo changed');
    await writeFile(config, '{ "builds": ');
    await settings.getByRole('alert').filter({ hasText: 'config.json' }).waitFor();
    await writeFile(config, JSON.stringify(before));
    await expect.poll(() => text.inputValue()).not.toContain('builds');
  });

  test('S2 a refusal says what to do', async () => {
    const list = page.getByRole('navigation', { name: 'Projects' });
    await list.getByRole('button', { name: 'Add project' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add project' });
    await dialog.getByRole('textbox', { name: 'Path' }).fill(deck.sandbox.project);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('This folder is already a project. Open it from the sidebar.').waitFor();
    await dialog.getByRole('textbox', { name: 'Path' }).fill('/no/such/folder');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Enter the full path of a folder you can read, or browse to it.').waitFor();
    await page.keyboard.press('Escape');
    const gone = await opened.context.newPage();
    await gone.goto(`${deck.origin}/nothing`);
    await gone.getByText('Go back to the start page and open it from there.').waitFor();
    await gone.close();
    // A browser without a sign-in.
    const stranger = await newPage(await launchBrowser());
    await stranger.page.goto(`${deck.origin}/in/used`);
    await stranger.page.getByText('Run this command in a terminal and open the link it prints.').waitFor();
    await stranger.page.getByText('tugdeck url', { exact: true }).waitFor();
    await stranger.close();
  });
});
