import { describe, expect, test } from 'vitest';
import type { Entry } from '../src/conversation/entries.ts';
import { entryText, headAndTail } from '../src/export/entry-text.ts';
import { conversationHtml } from '../src/export/html-document.ts';
import { type MarkdownToken, markdownHtml } from '../src/export/html-markdown.ts';
import { pictureData, safeAddress } from '../src/export/html-text.ts';
import { conversationMarkdown, markdownEntry } from '../src/export/markdown.ts';
import { plainTerminal } from '../src/export/plain-terminal.ts';

const entry = (fields: object) =>
  ({ id: 'e', status: 'complete', at: 0, seq: 0, rev: 0, ...fields }) as unknown as Entry;
const shell = entry({
  kind: 'tool',
  name: 'Bash',
  title: 'Run <ls>',
  toolKind: 'shell',
  state: 'failed',
  result: { type: 'terminal', stdout: '\u001b[31mred\u001b[0m ```', stderr: '' },
});
const edit = entry({
  kind: 'tool',
  name: 'Edit',
  title: 'Edit a.ts',
  toolKind: 'edit',
  state: 'done',
  diff: [
    { path: 'a.ts', hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-<a>', '+b'] }] },
  ],
});
const paragraph = (text: string): MarkdownToken[] => [
  { type: 'paragraph', raw: text, tokens: [{ type: 'text', text }] },
];
const html = (entries: Entry[]) =>
  conversationHtml(entries, { title: 'A & B', about: ['large'], long: headAndTail, lex: paragraph });

describe('as markdown', () => {
  test("C14 the agent's text is plain, the rest is marked", () => {
    const all = [
      entry({ kind: 'user', text: 'Do it', delivery: 'delivered', attachments: [{ name: 'a.png' }] }),
      entry({ kind: 'thinking', text: 'One\n\nTwo' }),
      entry({ kind: 'text', text: '**done**' }),
      entry({ kind: 'text', text: '', status: 'cancelled' }),
      edit,
      entry({ kind: 'notice', text: 'The model\nchanged', notice: 'model', level: 'info' }),
    ];
    expect(conversationMarkdown(all)).toBe(
      '### You\n\nDo it\nAttached: a.png\n\n> One\n> \n> Two\n\n**done**\n\n**Edit a.ts**\n\n' +
        '```diff\n--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-<a>\n+b\n```\n\n_The model changed_\n',
    );
  });

  test('C14 output has no escapes, and a fence it cannot close', () => {
    expect(markdownEntry(shell)).toBe('**Run <ls> (failed)**\n\n````\nred ```\n````');
    expect(plainTerminal('10%\r20%\r\u001b]0;title\u0007done\n')).toBe('done\n');
  });

  test('C14 writes head and tail of a text that is not loaded, or all of it', () => {
    const far = { blob: '0'.repeat(64), size: 9, head: 'begin', tail: 'end' };
    const note = entry({ kind: 'notice', text: 'It stopped', detail: far, notice: 'crash', level: 'error' });
    expect(entryText(note).body).toBe('It stopped\nbegin\n…\nend');
    expect(entryText(note, () => 'whole').body).toBe('It stopped\nwhole');
  });
});

describe('as HTML', () => {
  test('C14 is self-contained: a policy without scripts, tools fold, failures are open', () => {
    const page = html([shell, edit, entry({ kind: 'text', text: 'a < b & c' })]);
    expect(page).toContain(
      'content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:;',
    );
    expect(page).toContain('<title>A &amp; B</title>');
    expect(page).toContain('<details open><summary>Run &lt;ls&gt; (failed)</summary>');
    expect(page).toContain('<span class="removed">-&lt;a&gt;\n</span><span class="added">+b\n</span>');
    expect(page).toContain('<p>a &lt; b &amp; c</p>');
    expect(page).not.toMatch(/<script|javascript:|https?:/i);
  });

  test("C12 a subagent's entries are under its tool, once", () => {
    const parent = entry({ ...edit, id: 'p' });
    const page = html([parent, entry({ kind: 'text', text: 'from below', id: 'c', parent: 'p' })]);
    expect(page.indexOf('from below')).toBeLessThan(page.indexOf('</details>'));
    expect(page.split('from below')).toHaveLength(2);
    expect(html([entry({ kind: 'text', text: 'orphan', parent: 'gone' })])).toContain('orphan');
  });

  test('C14 shows a picture only if it can be nothing else', () => {
    expect(pictureData('image/png', 'AAAA')).toBe('data:image/png;base64,AAAA');
    expect(pictureData('image/svg+xml', 'AAAA')).toBeUndefined();
    expect(pictureData('image/png', 'AA"onerror=x')).toBeUndefined();
  });

  test.each([
    'javascript:x',
    'java\nscript:x',
    'data:text/html,x',
    '//evil.test',
    'https://a.test/"onclick=x',
    'https:x',
  ])('C14 %j is not a link', (address) => {
    expect(safeAddress(address)).toBeUndefined();
    const token = { type: 'link', href: address, tokens: [{ type: 'text', text: 'x' }] };
    expect(markdownHtml('', () => [token])).toBe('x');
  });

  test('C14 shows unknown tokens and raw HTML as source', () => {
    expect(markdownHtml('', () => [{ type: 'html', raw: '<img onerror=x>' }])).toBe('&lt;img onerror=x&gt;');
    expect(markdownHtml('', () => [{ type: '<b>', raw: '<i>' }])).toBe('&lt;i&gt;');
    expect(markdownHtml('', () => [{ type: 'text', text: '&copy; &lt;b&gt; &nope' }])).toBe(
      '&copy; &lt;b&gt; &amp;nope',
    );
    let deep: MarkdownToken = { type: 'text', text: 'x', raw: '<x>' };
    for (let at = 0; at < 5_000; at += 1) deep = { type: 'blockquote', raw: '<deep>', tokens: [deep] };
    expect(markdownHtml('', () => [deep])).toContain('&lt;deep&gt;');
  });
});
