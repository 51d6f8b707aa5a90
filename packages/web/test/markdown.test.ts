import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from './markdown-browser.ts';
import type { MarkdownPage } from './markdown-page.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  ({ browser, page } = await openPage(fileURLToPath(new URL('./markdown-page.ts', import.meta.url))));
});

afterAll(async () => {
  await browser?.close();
});

function call<K extends keyof MarkdownPage>(
  name: K,
  ...args: MarkdownPage[K] extends (...args: infer A) => unknown ? A : []
) {
  type Result = MarkdownPage[K] extends (...args: never[]) => infer R ? Awaited<R> : MarkdownPage[K];
  return page.evaluate(
    ([key, values]) => {
      const member = window.markdownPage[key as keyof MarkdownPage];
      return typeof member === 'function'
        ? (member as (...values: unknown[]) => unknown)(...(values as unknown[]))
        : member;
    },
    [name, args] as const,
  ) as Promise<Result>;
}

const INLINE = [
  ...[
    'plain words',
    '**bold**',
    '*em*',
    '_under_',
    '`code`',
    '~~gone~~',
    '[link](https://a.test/x)',
    '[ref]',
  ],
  ...[
    '[ref][other]',
    'https://auto.test/p?q=1',
    '<sup>2</sup>',
    '&copy; &amp; &#65;',
    'snake_case_name',
    '**un',
  ],
  ...['`open', '[half](http', '\\*escaped\\*', '![pic](data:image/png;base64,AA)', '5 * 3 < 4', '***both***'],
  ...['a@b.test', '<b>x</b>', '😀', '| pipe', '<kbd>x & y</kbd>', '[^1]'],
];
const LINES = [
  ...[
    '# Heading',
    '### Third ###',
    'Setext',
    '===',
    '---',
    '***',
    '- item',
    '* star',
    '+ plus',
    '1. one',
    '7) seven',
  ],
  ...[
    '  - nested',
    '    - deeper',
    '- [ ] task',
    '- [x] done',
    '   continued',
    '    indented code',
    '\tTabbed',
  ],
  ...[
    '> quote',
    '> > deep',
    '> - in quote',
    '> ```',
    '```ts',
    '```',
    '~~~',
    '  ```js',
    'const a = 1;',
    '  indented',
  ],
  ...[
    '| a | b |',
    '|---|:-:|',
    '| 1 | **2** |',
    '| 3',
    '[ref]: https://ref.test "title"',
    '[other]: /in/app',
  ],
  ...[
    '<div>',
    '</div>',
    '<p>raw <em>html</em></p>',
    '<!-- note -->',
    '<details>',
    '#tag',
    '<script>x</script>',
    '',
  ],
  ...['', '', '-', '1.', '[^1]: note', '&nbsp;', '<pre>', '</pre>', 'tail\\', "[t]: /u 'open", "title'"],
];
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LINES) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...INLINE), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(' ')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...LINES), fc.constantFrom(...INLINE)).map((two) => two.join(' ')),
  },
);
const markdown = fc
  .tuple(fc.array(line, { maxLength: 24 }), fc.constantFrom('\n', '\n', '\n', '\r\n'))
  .map(([lines, end]) => lines.join(end));

function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

describe('streaming equals drawing at once', () => {
  test('C2 any markdown cut anywhere ends as the drawing of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, fc.array(fc.nat(600), { maxLength: 40 }), async (text, cuts) => {
        const result = await call('stream', pieces(text, cuts));
        expect(result.final).toBe(result.oneShot);
        expect(result.idleChanges).toBe(0);
      }),
      { numRuns: 600 },
    );
  });

  test('C2 the words are those of the parser', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, async (text) => {
        fc.pre(!/<\/?(script|details|pre|div)|<!--/.test(text));
        const { ours, theirs } = await call('words', text);
        expect(ours).toBe(theirs);
      }),
      { numRuns: 300 },
    );
  });
});
