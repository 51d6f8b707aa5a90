/** Formulas and diagrams in a real browser, under the server's CSP, on one page. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeBrowser, launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { press } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIAGRAMS, FORMULAS, HOSTILE_DIAGRAMS, HOSTILE_FORMULAS } from './drawing-sources.ts';
import { type Gallery, serveGallery } from './gallery/serve-gallery.ts';

let gallery: Gallery;
let opened: TestPage;
let page: Page;
const requests: string[] = [];
/** Requests that hostile sources try to send. */
const leaks: string[] = [];
const elsewhere = createServer((request, response) => {
  leaks.push(request.url ?? '');
  response.end();
});
/** The library is large, so a few kinds of diagram represent all. */
const isFull = process.env.TUGDECK_TEST_FULL === '1';
const someDiagrams = isFull ? DIAGRAMS : DIAGRAMS.slice(0, 2);

beforeAll(async () => {
  gallery = await serveGallery();
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  opened = await newPage(await launchBrowser(), { height: 1000 });
  page = opened.page;
  // The page itself waits a minute for the libraries to load.
  page.setDefaultTimeout(120_000);
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${gallery.url}#/session/rest`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.evaluate(() => window.allParts);
});

afterAll(async () => {
  await closeBrowser();
  await gallery.close();
  elsewhere.close();
});

const emit = (id: string, text: string, status: 'partial' | 'complete' = 'complete') =>
  page.evaluate(
    ([entry, words, state]) =>
      window.gallery
        .host('rest')
        .emit({ kind: 'entry.opened', entry: { kind: 'text', id: entry, status: state, text: words } }),
    [id, text, status] as const,
  );
const article = (id: string) => page.locator(`article[data-entry-id="${id}"]`);
const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n`;

test('C2 does not load the drawing libraries before they are needed', async () => {
  await emit('plain', 'It costs $5 here and $10 there, see $HOME/$USER.');
  await article('plain').waitFor();
  expect(requests.filter((url) => /drawing|katex|drawer/i.test(url))).toEqual([]);
  await expect.poll(() => page.locator('iframe').count()).toBe(0);
});

test('C2 draws inline and block formulas in a frame with an opaque origin', async () => {
  const blocks = FORMULAS.map((formula) => `$$\n${formula}\n$$\n`).join('\n');
  await emit('math', `Euler found $${FORMULAS[0]}$ and \\(a_1 + b_2\\).\n\n${blocks}`);
  await article('math')
    .locator('figure[data-drawing=formula]')
    .nth(FORMULAS.length - 1)
    .waitFor();
  await expect.poll(() => article('math').locator('.markdown-formula[data-drawn]').count()).toBe(2);
  await expect
    .poll(() => article('math').getByRole('math').first().getAttribute('aria-label'))
    .toBe(FORMULAS[0]);
  await expect
    .poll(() => article('math').locator('.markdown-code-language').allTextContents())
    .toEqual(FORMULAS.map(() => 'math'));
  const frame = page.locator('iframe');
  await expect.poll(() => frame.getAttribute('sandbox')).toBe('allow-scripts');
  const inside = page.frames().find((each) => each.url().includes('/drawing/formula'));
  expect(await inside?.evaluate(() => self.origin)).toBe('null');
  const reached = await inside?.evaluate(() => {
    try {
      return String(parent.document.title);
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(reached).toBe('SecurityError');
  opened.assertNoProblems();
});

test('C2 every kind of diagram becomes an image of its reserved size', async () => {
  await emit('diagrams', someDiagrams.map(fence).join('\n'));
  const pictures = article('diagrams').locator('figure[data-drawing=diagram] img');
  await pictures.nth(someDiagrams.length - 1).waitFor();
  // An image has its box before it is decoded.
  const sizes = () =>
    pictures.evaluateAll((all) =>
      all.map((image) => (image as HTMLImageElement).naturalWidth > 20 && image.clientHeight > 20),
    );
  await expect.poll(sizes).toEqual(someDiagrams.map(() => true));
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('tugdeck.drawn-sizes'))).toContain('[');
  opened.assertNoProblems();
});

test('C2 shows a streaming diagram as source until its block closes, and again on a click', async () => {
  await emit('streamed', 'Look:\n\n```mermaid\nflowchart LR\n  A --> B\n', 'partial');
  await article('streamed').locator('pre').waitFor();
  await expect.poll(() => article('streamed').locator('img').count()).toBe(0);
  await page.evaluate(() => window.gallery.host('rest').stream('streamed', '```\n\nThat is it.'));
  const picture = article('streamed').locator('img');
  await picture.waitFor();
  await expect.poll(() => article('streamed').locator('pre').isVisible()).toBe(false);
  await press(article('streamed').getByRole('button', { name: 'Source' }));
  await expect.poll(() => article('streamed').locator('pre').isVisible()).toBe(true);
  await expect.poll(() => picture.isVisible()).toBe(false);
});

test('D8 a diagram follows the theme', async () => {
  const first = article('streamed').locator('img');
  const before = await first.getAttribute('src');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForFunction(
    (old) => document.querySelector('article[data-entry-id=streamed] img')?.getAttribute('src') !== old,
    before,
  );
  await page.emulateMedia({ colorScheme: 'dark' });
});

test('C2 shows the source and the reason if a drawing fails', async () => {
  await emit('broken', `${fence('flowchart LR\n  A -->')}\nand $\\frac{1}$ too`);
  await article('broken').getByText('showing source').waitFor();
  await expect.poll(() => article('broken').locator('pre').textContent()).toContain('A -->');
  await article('broken').locator('.markdown-formula[title]').waitFor();
  await expect.poll(() => article('broken').locator('.markdown-formula').textContent()).toBe('$\\frac{1}$');
});

test('C2 hostile sources run nothing, load nothing, and change only their own box', async () => {
  const tryOut = async (id: string, sources: readonly string[], write: (source: string) => string) => {
    const { port } = elsewhere.address() as AddressInfo;
    await emit(id, sources.map(write).join('\n').replaceAll('127.0.0.1:9/', `127.0.0.1:${port}/`));
    await page.waitForFunction(
      ([entry, most]) => {
        const blocks = [
          ...document.querySelectorAll<HTMLElement>(`article[data-entry-id="${entry}"] figure`),
        ];
        const isSettled = ({ dataset, textContent }: HTMLElement) =>
          /diagram|formula/.test(dataset.drawing ?? '') || textContent?.includes('showing source') === true;
        return blocks.length === most && blocks.every(isSettled);
      },
      [id, sources.length] as const,
    );
    const found = await page.evaluate(() => {
      const drawn = [...document.querySelectorAll('.markdown-drawing *')];
      const known = ['div', 'span', 'img', 'svg', 'path', 'line'];
      return {
        isHacked: 'hacked' in window,
        strange: drawn.filter((node) => !known.includes(node.localName)).map((node) => node.localName),
        attributes: drawn
          .flatMap((node) => node.getAttributeNames())
          .filter((name) => /^on|^id$|href/.test(name)),
        isWide: document.documentElement.scrollWidth > innerWidth,
      };
    });
    expect(found).toEqual({ isHacked: false, strange: [], attributes: [], isWide: false });
  };
  await tryOut('hostile', HOSTILE_DIAGRAMS, fence);
  await tryOut('hostile-math', HOSTILE_FORMULAS, (formula) => `$$\n${formula}\n$$\n`);
  expect(leaks).toEqual([]);
});
