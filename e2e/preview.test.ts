/** Previews in a real browser: a local web server framed through the proxy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { screenshot } from '@tugdeck/testkit/browser';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onePage } from './one-page.ts';

const PROGRAM = fileURLToPath(new URL('preview-app.mjs', import.meta.url));
/** Attempts of the app that the browser refuses, and its own error. */
const ALLOWED = [/Unsafe attempt to initiate navigation/, /Blocked opening 'about:blank'/, /Broken .* thing/];
const shared = onePage({ allowed: ALLOWED });
let app: { readonly port: number; readonly child: ChildProcess };

beforeAll(async () => {
  app = await startApp(shared.deck.sandbox.project);
});
afterAll(() => app?.child.kill());

/** Runs in `directory`, which decides whom its port belongs to. */
async function startApp(directory: string): Promise<{ port: number; child: ChildProcess }> {
  const child = spawn(process.execPath, [PROGRAM], { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /localhost:(\d+)/.exec(chunk.toString())?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  return { port, child };
}

const card = (page: Page) => page.getByRole('group', { name: 'Preview' });

/** Shows the Preview tab of the session in front with an address. A tab that has one from an earlier test loads it itself. */
async function openPreview(page: Page, address: string): Promise<FrameLocator> {
  await page.getByRole('textbox', { name: 'Message' }).blur();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  const field = card(page).getByRole('textbox', { name: 'Preview address' });
  if (!(await field.inputValue()).startsWith(address)) {
    await field.fill(address);
    await field.press('Enter');
  }
  return page.frameLocator('iframe.preview-frame');
}

test('W7 an address in a terminal opens the app on its own origin, with modules, storage, cookies and sockets', async () => {
  const { page } = shared.opened;
  await page.keyboard.press('Control+`');
  const terminal = page.getByRole('group', { name: 'Terminal' });
  await terminal.waitFor();
  await terminal.locator('textarea').first().focus();
  await page.keyboard.type(`echo "  Local: http://local""host:${app.port}/"`);
  await page.keyboard.press('Enter');
  const offer = terminal.getByRole('button', { name: `Preview localhost:${app.port}` });
  await offer.waitFor();
  // Nothing opens by itself.
  await expect.poll(() => page.locator('iframe.preview-frame').count()).toBe(0);
  await offer.click();
  const frame = page.frameLocator('iframe.preview-frame');
  const facts = frame.locator('#facts');
  await expect.poll(() => facts.innerText()).toContain('socket connected');
  const text = await facts.innerText();
  expect(text).toContain('module ran');
  expect(text).toContain(`host localhost:${app.port}`);
  expect(text).toContain(`origin http://localhost:${app.port}`);
  expect(text).toContain('cookies fromServer=1; fromScript=1');
  expect(text).toContain('top is another origin');
  expect(text).toContain('popup null');
  expect(new URL(page.url()).origin).toBe(shared.deck.origin);
  await screenshot(page, 'preview');
  // The server never saw the frame's sign-in.
  const seen = await (await fetch(`http://127.0.0.1:${app.port}/seen`)).text();
  expect(seen).not.toContain('tugdeck-preview=');
  await card(page).getByRole('button', { name: 'Reload preview' }).click();
  await expect.poll(() => facts.innerText()).toContain('visits 2');
});

test('W71 W72 a picked element is quoted in the message, errors are listed, and the app can’t forge either', async () => {
  const { page } = shared.opened;
  const frame = await openPreview(page, `localhost:${app.port}`);
  await expect.poll(() => frame.locator('#facts').innerText()).toContain('socket connected');
  const box = page.getByRole('textbox', { name: 'Message' });
  const element = { selector: 'x', text: 'forged', html: '<p>', size: '1', path: '/' };
  const forge = (data: object) =>
    frame.locator('body').evaluate((_, message) => parent.postMessage(message, '*'), data);
  await forge({ tugdeckPreview: 1, type: 'picked', element });
  await card(page).getByRole('button', { name: 'Console: 1 message' }).click();
  // Hidden characters are written out.
  await expect
    .poll(() => card(page).getByRole('region', { name: 'Console' }).innerText())
    .toContain('Broken ⟨U+202E⟩ thing {"code":7}');
  await expect.poll(() => box.inputValue()).toBe('');
  await card(page).getByRole('button', { name: 'Pick an element' }).click();
  await card(page).getByText('Click an element').waitFor();
  await frame.getByRole('button', { name: 'Go' }).click();
  await expect.poll(() => box.inputValue()).toContain(`Element of http://localhost:${app.port}/`);
  await expect
    .poll(() => box.inputValue())
    .toMatch(
      /^```\nElement of .*\nSelector: html > body > button\nSize: .*\nText: Go\nHTML: <button class="go">Go<\/button>\n```\n$/,
    );
  // By keyboard: from the heading to the next element.
  await box.fill('');
  await card(page).getByRole('button', { name: 'Pick an element' }).press('Enter');
  await card(page).getByText('Click an element').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect.poll(() => box.inputValue()).toContain('Text: Go');
  await box.fill('');
});

// Starts another browser.
test.runIf(isFullTier)('W72 a screenshot is attached to the message', async () => {
  const { page } = shared.opened;
  await openPreview(page, `localhost:${app.port}`);
  await card(page).getByRole('button', { name: 'Preview width: Fit' }).click();
  await page.getByRole('menuitemradio', { name: /^Phone/ }).click();
  await card(page).getByRole('button', { name: 'Add screenshot to message' }).click();
  const chip = page.getByRole('button', { name: new RegExp(`localhost-${app.port}.png`) }).first();
  await chip.waitFor();
  await screenshot(page, 'preview-screenshot');
  await page.getByRole('button', { name: `Remove localhost-${app.port}.png` }).click();
});

test('W70 a port of another program is named before it is shown', async () => {
  const { page } = shared.opened;
  const other = await startApp(tmpdir());
  const frame = await openPreview(page, `127.0.0.1:${other.port}/own`);
  const question = card(page).getByRole('alert');
  await expect
    .poll(() => question.innerText())
    .toContain(`node (process ${other.child.pid}) runs in ${tmpdir()}`);
  await expect.poll(() => page.locator('iframe.preview-frame').count()).toBe(0);
  await screenshot(page, 'preview-question');
  await question.getByRole('button', { name: 'Show it' }).click();
  await expect.poll(() => frame.locator('#title').innerText()).toBe('Hello from the app');
  const field = card(page).getByRole('textbox', { name: 'Preview address' });
  await field.fill(`127.0.0.1:${other.port}/away`);
  await field.press('Enter');
  await card(page)
    .getByText(`Not shown here: http://localhost:${other.port + 1}/there`)
    .waitFor();
  other.child.kill();
  // The deck itself is never shown.
  await field.fill(`127.0.0.1:${shared.deck.port}/`);
  await field.press('Enter');
  await card(page).getByText('Tugdeck’s own').waitFor();
});
