import { fileURLToPath } from 'node:url';
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { longAnswer, longAnswerChunk } from '@tugdeck/testkit/long-answer';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { angledMarkdown, inSteps, markdown, pieces } from './markdown-arbitrary.ts';
import { openPage } from './markdown-browser.ts';
import { HOSTILE } from './markdown-hostile.ts';
import type { MarkdownPage } from './markdown-page.ts';

let opened: TestPage;

beforeAll(async () => {
  opened = await openPage(fileURLToPath(new URL('./markdown-page.ts', import.meta.url)));
});

afterAll(closeBrowser);

function call<K extends keyof MarkdownPage>(
  name: K,
  ...args: MarkdownPage[K] extends (...args: infer A) => unknown ? A : []
) {
  type Result = MarkdownPage[K] extends (...args: never[]) => infer R ? Awaited<R> : MarkdownPage[K];
  return opened.page.evaluate(
    ([key, values]) => {
      const member = window.markdownPage[key as keyof MarkdownPage];
      return typeof member === 'function'
        ? (member as (...values: unknown[]) => unknown)(...(values as unknown[]))
        : member;
    },
    [name, args] as const,
  ) as Promise<Result>;
}

test('C2 raw tags that are still incomplete stream like a full render, without their handlers', async () => {
  const tagged = [
    '<h4>raw <img src=x onerror=alert(1)> title</h4>\n\n',
    'a <sub>low</sub> <b onclick=x>word',
    ' in',
    ' line</b>',
  ];
  const { final, oneShot } = await call('stream', tagged);
  expect(final).toBe(oneShot);
  expect(final).toContain('<sub>low</sub>');
  expect(final).not.toMatch(/onerror|onclick/);
});

describe('streaming equals a full render', () => {
  test('C2 Markdown split anywhere ends like a full render', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(markdown, angledMarkdown),
        fc.array(fc.nat(600), { maxLength: 40 }),
        async (text, cuts) => {
          const result = await call('stream', pieces(text, cuts));
          expect(result.final).toBe(result.oneShot);
          expect(result.idleChanges).toBe(0);
        },
      ),
      { numRuns: 400, seed: 20261115 },
    );
  });

  test('C2 shows the same words as the parser', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, async (text) => {
        // The parser supports neither formulas nor footnotes.
        fc.pre(!/<\/?(script|details|pre|div)|<!--|\\[[(]|\$|\[\^1\]/.test(text));
        const { ours, theirs } = await call('words', text);
        expect(ours).toBe(theirs);
      }),
      { numRuns: 300, seed: 20261115 },
    );
  });
});

describe('while it streams', () => {
  const letters = async (text: string) => (await call('stream', [...text], true)).frames;

  test.each([
    ['bold', 'say **strong words** now', ['*']],
    ['code', 'run `npm test` now', ['`']],
    ['a link', 'see [the file](https://a.test/x) now', ['[', '](', 'https']],
    ['a picture', 'see ![alt](data:image/png;base64,AA) now', ['![', '](']],
    ['strikethrough', 'was ~~old~~ new', ['~~']],
    ['a fence', '```ts\nlet a;\n```\nafter', ['`']],
    ['a heading', 'para\n\n## Title', ['#']],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |\n', ['|', '--']],
    ['a list', '- one\n- two\n  - three', ['- ']],
    ['a task', '- [ ] one\n- [x] two', ['[']],
  ])('C2 %s shows none of its markers', async (_, text, markers) => {
    for (const frame of await letters(text)) {
      const shown = frame.replace(/<figcaption.*?<\/figcaption>/g, '').replace(/<[^>]*>/g, '');
      for (const marker of markers) expect(shown).not.toContain(marker);
    }
  });

  test('C2 a rendered block keeps its element', async () => {
    const text = '# T\n\nSome **bold** text.\n\n- a\n- b\n\n| h |\n|---|\n| 1 |\n\n```js\nx\n```\n\nend.\n';
    const { closingChanges } = await call('stream', [...text]);
    expect(closingChanges).toBe(0);
  });

  test('C2 closing a long answer changes nothing', async () => {
    const deltas = inSteps(longAnswer, longAnswerChunk);
    const { closingChanges, final, oneShot } = await call('stream', deltas);
    expect(deltas.length).toBeGreaterThan(3_500);
    expect(closingChanges).toBe(0);
    expect(final).toBe(oneShot);
  });

  test('C2 a late definition applies to earlier text only at the close', async () => {
    const { frames, final } = await call(
      'stream',
      ['see [it][x]\n\n', 'more\n\n', '[x]: https://x.test\n'],
      true,
    );
    expect(frames.at(-1)).not.toContain('href');
    expect(final).toContain('href="https://x.test"');
  });

  test.each([
    ['code', `\`\`\`ts\n${'const a = "some text";\n'.repeat(3_000)}`, ['more', ' text;\n', 'next'], 6],
    ['a list', '- item with **bold** text\n'.repeat(1_000), ['- ano', 'ther item\n', '- last'], 14],
    ['a table', `| a | b |\n|---|---|\n${'| one | *two* |\n'.repeat(2_000)}`, ['| x ', '| y |\n', '| z'], 14],
    ['paragraphs', 'Some words in a row.\n\n'.repeat(2_000), ['New', ' words', ' here'], 8],
  ])('C2 %s of any length: an append touches its end only', async (_, head, pieces, most) => {
    const { changes } = await call('lateWork', head, pieces);
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(most);
  });
});

describe('exhausting texts', () => {
  test.each([
    ['bold', `${'**'.repeat(3_000)}a *b*`],
    ['emphasis', `${'*a '.repeat(2_000)}${'b* '.repeat(2_000)}`],
    ['brackets', '['.repeat(20_000)],
    ['links', '[a]('.repeat(5_000)],
    ['quotes', '> '.repeat(3_000)],
    ['lists', `${'- '.repeat(1_500)}x`],
    ['a paragraph', 'words **b** and more '.repeat(3_000)],
    ['a quote', '> words **b** and more\n'.repeat(3_000)],
    ['tags', '<sup>'.repeat(2_000)],
    ['words in angle brackets', 'a <foo bar> b\n<foo>\n'.repeat(2_000)],
    ['unfinished words', '<a x="'.repeat(5_000)],
    ['folds', '<details><summary>a</summary>\n'.repeat(1_000)],
    ['unclosed folds', '<details>\n'.repeat(2_000)],
    ['notes', '[^a]: x [^a]\n\n    [^b]: y\n'.repeat(1_000)],
  ])('C2 %s: drawn whole as drawn streaming, without a fault', async (_, text) => {
    const { final, oneShot } = await call('stream', inSteps(text, 997));
    expect(final).toBe(oneShot);
    expect(final.length).toBeGreaterThan(100);
  });
});

describe('code blocks', () => {
  test('C3 the copy button copies the source and shows a check mark, the wrap button wraps', async () => {
    expect(await call('codeButtons')).toEqual([
      'let a = "<b>";\n\nlet b;',
      '✓ Copied',
      'markdown-code is-wrapped',
    ]);
  });

  test('C3 reports each code block as closed once', async () => {
    const text = '```ts\na\n```\n\n- one\n\n  ```js\n  b\n  ```\n- two\n\nend\n\n```\nopen';
    expect(await call('closedCode', [...text])).toEqual(['ts:a', 'js:b', ':open']);
  });
});

describe('untrusted text', () => {
  test('C2 the table of tags is frozen', async () => {
    const tags = await call('tags');
    expect(tags).toMatchInlineSnapshot(`
      {
        "bulletList": "ul",
        "checkbox": "input",
        "codeButton": "button",
        "codeFrame": "figure",
        "codeHeader": "figcaption",
        "codeLabel": "span",
        "codeLines": "span",
        "codeScroll": "pre",
        "codeSpan": "code",
        "codeText": "code",
        "deleted": "del",
        "drawing": "div",
        "emphasis": "em",
        "fold": "details",
        "foldSummary": "summary",
        "formula": "span",
        "heading1": "h1",
        "heading2": "h2",
        "heading3": "h3",
        "heading4": "h4",
        "heading5": "h5",
        "heading6": "h6",
        "image": "img",
        "lineBreak": "br",
        "link": "a",
        "listItem": "li",
        "note": "div",
        "noteBody": "div",
        "noteMark": "sup",
        "orderedList": "ol",
        "paragraph": "p",
        "quote": "blockquote",
        "rawHtml": "div",
        "refusedLink": "span",
        "rule": "hr",
        "section": "div",
        "strong": "strong",
        "table": "table",
        "tableBody": "tbody",
        "tableCell": "td",
        "tableFrame": "div",
        "tableHead": "thead",
        "tableHeader": "th",
        "tableRow": "tr",
      }
    `);
  });

  test('C2 the allowlist for raw HTML is frozen', async () => {
    expect(await call('rawHtmlPolicy')).toMatchInlineSnapshot(`
      {
        "ALLOWED_ATTR": [
          "href",
          "src",
          "alt",
          "title",
          "open",
        ],
        "ALLOWED_TAGS": [
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "p",
          "br",
          "hr",
          "strong",
          "em",
          "del",
          "sup",
          "sub",
          "a",
          "code",
          "pre",
          "ul",
          "ol",
          "li",
          "blockquote",
          "table",
          "thead",
          "tbody",
          "tr",
          "th",
          "td",
          "img",
          "b",
          "i",
          "u",
          "s",
          "ins",
          "mark",
          "small",
          "kbd",
          "samp",
          "var",
          "abbr",
          "cite",
          "q",
          "span",
          "div",
          "details",
          "summary",
          "dl",
          "dt",
          "dd",
          "caption",
          "tfoot",
        ],
        "ALLOW_ARIA_ATTR": false,
        "ALLOW_DATA_ATTR": false,
        "FORBID_ATTR": [
          "onerror",
          "onload",
          "onclick",
          "onmouseover",
          "onfocus",
          "onblur",
        ],
        "FORBID_TAGS": [
          "script",
          "iframe",
          "object",
          "embed",
          "form",
          "style",
          "link",
          "meta",
          "base",
          "svg",
          "math",
        ],
      }
    `);
  });

  test(`C2 none of ${HOSTILE.length} hostile texts puts anything live into the page`, async () => {
    const tags = Object.values(await call('tags'));
    const policy = await call('rawHtmlPolicy');
    const allowed = [...tags, ...policy.ALLOWED_TAGS];
    expect(await call('allDangers', HOSTILE, allowed)).toEqual([]);
    expect(opened.problems.filter((problem) => problem.startsWith('uncaught'))).toEqual([]);
  });

  test('C2 links open safely, refused ones stay text, remote images become links', async () => {
    expect(
      await call('oneShot', '[a](https://x.test) [b](javascript:x) ![c](https://x.test/c.png)'),
    ).toContain(
      '<p><a href="https://x.test" target="_blank" rel="noopener noreferrer">a</a> <span>b</span> ' +
        '<a href="https://x.test/c.png" target="_blank" rel="noopener noreferrer">c</a></p>',
    );
  });
});
