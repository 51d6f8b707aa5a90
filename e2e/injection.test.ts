/** Hostile model output through the whole product: the real agent, host, server, policy and page. */

import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { text, toolUse } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connected, type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

// The gallery's suite covers more cases; these need the whole product.
const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';

const RUNS = '<img src=x onerror=alert(1)>';
const ANSWER = [
  RUNS,
  '<script>alert(1)</script>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '[link](javascript:alert(1)) ![picture](https://evil.test/beacon.png) <https://ok.test/"onclick="alert(1)>',
  `\`\`\`html ${RUNS}\n${RUNS}\n\`\`\``,
  '<form action=https://evil.test><button>Allow</button></form>',
  '<style>body{display:none}</style><base href=https://evil.test>',
  'The end.',
].join('\n\n');

let deck: Deck;
let opened: TestPage;
let outside: string[];

beforeAll(async () => {
  deck = await openDeck();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
beforeEach(async () => {
  opened = await deck.page();
  outside = [];
  await guard(opened.page);
  await newSession(opened.page);
});
afterEach(async () => {
  const ran = await opened.page.evaluate(() => (window as unknown as { ran: string[] }).ran);
  expect([...ran, ...outside]).toEqual([]);
  opened.assertNoProblems([/Failed to load resource/, /Content Security Policy directive/]);
  await opened.close();
});

async function guard(page: Page): Promise<void> {
  page.on('request', (request) => {
    const url = request.url();
    const isOurs = url.startsWith(deck.origin) || url.startsWith(deck.origin.replace('http', 'ws'));
    if (!isOurs && !/^(data|blob):/.test(url)) outside.push(url);
  });
  await page.addInitScript(() => {
    const ran: string[] = [];
    Object.assign(window, { ran, alert: () => ran.push('alert') });
    // Chromium also reports what the sanitizer parses in an inert document, where nothing can run: without an element,
    // or with one that is sanitized by the time of the event.
    const inert = /^(script-src-attr|style-src-elem|style-src-attr|base-uri)$/;
    const isClean = (node: unknown) =>
      !(node instanceof Element) || node.getAttributeNames().every((name) => !/^(on|style$)/.test(name));
    document.addEventListener('securitypolicyviolation', ({ target, violatedDirective, blockedURI }) => {
      if (!inert.test(violatedDirective) || !isClean(target)) {
        ran.push(`policy ${violatedDirective} ${blockedURI}`);
      }
    });
  });
  await page.reload();
  await connected(page);
}

const made = (page: Page) =>
  page
    .getByRole('log', { name: 'Conversation' })
    .locator(
      'script, iframe, style, base, math, form[action], svg:not(.lucide), [onerror], [onload], [onclick]',
    )
    .count();

test.skipIf(!IS_FULL)(
  'C2 hostile markdown of the model is text: live, after a reload from the cache, and afresh',
  async () => {
    const { page } = opened;
    deck.fake.script('hostile', [text(ANSWER, { chunk: 5 })]);
    await send(page, `SCN:hostile ${RUNS}`);
    await entries(page, 'text', 'complete').getByText('The end.').waitFor();
    await rested(page);
    expect(await made(page)).toBe(0);
    await page.reload();
    await entries(page, 'text', 'complete').getByText('The end.').waitFor();
    await connected(page);
    expect(await made(page)).toBe(0);
  },
);

test.skipIf(!IS_FULL)(
  'C6 a command that hides what it does is shown as it is, and runs only as shown',
  async () => {
    const { page } = opened;
    const command = `echo ${RUNS} \u202e# dnammoc ssel\u200bmrah`;
    deck.fake.script('lie', [
      toolUse('Bash', { command, description: `<script>alert(1)</script>\u202e` }),
      text('Understood.'),
    ]);
    await send(page, 'SCN:lie');
    const request = page.getByRole('group', { name: /^Permission: / });
    const shown = command.replace('\u202e', '⟨U+202E⟩').replace('\u200b', '⟨U+200B⟩');
    await request.locator('.field-code').getByText(shown, { exact: true }).waitFor();
    await expect.poll(() => request.textContent()).not.toMatch(/[\u202e\u200b]/);
    await pressAnswer(request.getByRole('button', { name: 'Deny', exact: true }));
    await request.waitFor({ state: 'hidden' });
    await rested(page);
    expect(await made(page)).toBe(0);
  },
);

test.skipIf(!IS_FULL)('C23 a file name with bidirectional control characters is shown escaped', async () => {
  const { page } = opened;
  const name = `${RUNS}\u202egnp.exe`;
  deck.fake.script('file', [
    toolUse('Write', ({ cwd }) => ({ file_path: `${cwd}/${name}`, content: `${RUNS}\u202e\n` })),
    text('Understood.'),
  ]);
  await send(page, 'SCN:file');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByText(`${RUNS}⟨U+202E⟩gnp.exe`).first().waitFor();
  await expect.poll(() => request.textContent()).not.toContain('\u202e');
  await pressAnswer(request.getByRole('button', { name: 'Deny', exact: true }));
  await request.waitFor({ state: 'hidden' });
  await rested(page);
  expect(await made(page)).toBe(0);
});
