/** Golden files of rendered Markdown: every change has to be intended. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from './markdown-browser.ts';

const corpus = fileURLToPath(new URL('./fixtures/markdown/', import.meta.url));
let opened: TestPage;

beforeAll(async () => {
  opened = await openPage(fileURLToPath(new URL('./markdown-page.ts', import.meta.url)));
});

afterAll(closeBrowser);

/** One block per line, so that a difference can be read. */
function readable(html: string): string {
  return `${html.replace(/<(?=(?:p|h\d|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|figure|figcaption|pre|hr|div)[\s>])/g, '\n<').trim()}\n`;
}

test.each(readdirSync(corpus).filter((name) => name.endsWith('.md')))(
  'C2 renders %s as before, whole and streamed',
  async (name) => {
    const text = readFileSync(path.join(corpus, name), 'utf8');
    const html = await opened.page.evaluate((source) => window.markdownPage.oneShot(source), text);
    const pieces = text.match(/[\s\S]{1,7}/g) ?? [];
    const streamed = await opened.page.evaluate((parts) => window.markdownPage.stream(parts).final, pieces);
    expect(streamed).toBe(html);
    await expect(readable(html)).toMatchFileSnapshot(path.join(corpus, name.replace(/\.md$/, '.html')));
  },
);
