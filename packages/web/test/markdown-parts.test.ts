import { describe, expect, test } from 'vitest';
import { escapeOtherTags } from '../src/features/markdown/allowed-tags.ts';
import { closeInline } from '../src/features/markdown/close-inline.ts';
import { heal } from '../src/features/markdown/heal.ts';
import { lex } from '../src/features/markdown/lex.ts';
import { OpenFence } from '../src/features/markdown/open-fence.ts';
import { linkAddress, pictureAddress } from '../src/kit/url-policy.ts';

const HOME = 'http://127.0.0.1:4000/app/';

describe('formulas', () => {
  const kinds = (text: string) =>
    lex(text).tokens.flatMap((token) =>
      token.type === 'code'
        ? [`block ${token.text}`]
        : ('tokens' in token ? (token.tokens ?? []) : [])
            .filter((inner) => inner.type === ('formula' as string))
            .map((inner) => ('text' in inner ? `line ${inner.text}` : '')),
    );

  test.each([
    ['a $x^2$ and \\(y_1\\).', ['line x^2', 'line y_1']],
    ['**so $a$**, $b$; $$c$$', ['line b', 'line c']],
    ['$$\na = b\n$$\nnext', ['block a = b']],
    ['words\n\\[ x \\]\nmore', ['block x']],
  ])('C2 %j has formulas', (text, found) => {
    expect(kinds(text)).toEqual(found);
  });

  test.each([
    ...['costs $5 and $10', '$HOME/$USER:$PATH', 'US$5, CA$7', '($5/$10)', '`$a` or `$b`', '\\$5 to \\$6'],
    ...['echo "$A" "$B"', 'run $(ls) and $(cat)', '$$\na\n\nb\n$$', '$ a $', '$$', '$'],
  ])('C2 %j has none', (text) => {
    expect(kinds(text)).toEqual([]);
  });

  test('C2 shows an unfinished block formula as a formula', () => {
    expect(heal('so\n\n$$\na_1 +', { inTable: false })).toBe('so\n\n$$\na_1 +\n$$');
    expect(heal('\\[ a', { inTable: false })).toBe('\\[ a\n\\]');
    expect(heal('$$\na\n$$', { inTable: false })).toBe('$$\na\n$$\n');
  });
});

describe('URLs', () => {
  test.each(['https://a.test', 'http://a.test', 'mailto:a@b.test', '/in/app', 'src/app.ts', '#part', '?q=1'])(
    'C2 %s may be a link',
    (address) => {
      expect(linkAddress(address, HOME)).toBe(address);
    },
  );

  test.each([
    'javascript:x',
    'JAVASCRIPT:x',
    'java\nscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'C:\\x',
    '',
  ])('C2 %j stays text', (address) => {
    expect(linkAddress(address, HOME)).toBeUndefined();
  });

  test('C2 loads images only from this origin, blob or data', () => {
    expect(pictureAddress('shot.png', HOME)).toBe('shot.png');
    expect(pictureAddress('http://127.0.0.1:4000/x.png', HOME)).toBe('http://127.0.0.1:4000/x.png');
    expect(pictureAddress('blob:http://127.0.0.1:4000/1', HOME)).toBeDefined();
    expect(pictureAddress('blob:https://evil.test/x', HOME)).toBeUndefined();
    expect(pictureAddress('data:image/png;base64,AA', HOME)).toBeDefined();
    expect(pictureAddress('http://127.0.0.1:4001/x.png', HOME)).toBeUndefined();
    expect(pictureAddress('//evil.test/x.png', HOME)).toBeUndefined();
    expect(pictureAddress('data:text/html,x', HOME)).toBeUndefined();
  });
});

describe('an open fence', () => {
  function read(source: string): { text: string; rest: string | undefined } {
    const end = source.indexOf('\n') + 1;
    const opened = OpenFence.at(source.slice(0, end));
    if (opened === undefined) throw new Error('no fence');
    let text = '';
    let at = end;
    for (; at < source.length; at += 1) {
      const { added, rest } = opened.fence.feed(source.charAt(at));
      text += added;
      if (rest !== undefined) return { text, rest: rest + source.slice(at + 1) };
    }
    return { text, rest: undefined };
  }

  test.each([
    '```\na\n```\nafter',
    '```ts\n\na\n\n\nb\n\n```\nafter',
    '````\n```\nx\n```\n````\n',
    '~~~\n```\n~~~ \nx',
    '  ```\n    two\n one\n  ```\n',
    '  ~~~\n    kept\n  ~~~\n',
    '```\n``\n``` no\n```\n',
    '```\n```\n',
  ])('C3 %j read by characters is what the parser reads', (source) => {
    const [token] = lex(source).tokens;
    expect(token?.type).toBe('code');
    const { text, rest } = read(source);
    expect(text).toBe(token?.type === 'code' ? token.text : undefined);
    expect(rest).toBe(source.slice((token?.raw ?? '').trimEnd().length).replace(/^ *\n/, ''));
  });

  test('C3 holds back a line that may close the fence', () => {
    const opened = OpenFence.at('```\nlet a;\n``');
    expect(opened?.progress).toEqual({ added: 'let a;', rest: undefined });
    expect(opened?.fence.feed('x\n')).toEqual({ added: '\n``x', rest: undefined });
  });
});

describe('tags', () => {
  test.each([
    ['a <b title="x">b</b>', 'a <b title="x">b</b>'],
    ['Set<B>b</B>', 'Set&lt;B>b&lt;/B>'],
    ['<EM onclick=x href=/y>b</EM>', '<em href="/y">b</em>'],
    ['List<int> & <T extends Foo>', 'List&lt;int> & &lt;T extends Foo>'],
    ['<a href="/x" onclick="y" title=\'a "b"\'>x</a>', '<a href="/x" title="a &quot;b&quot;">x</a>'],
    ['<p title="</p><script>">x', '<p title="&lt;/p&gt;&lt;script&gt;">x'],
    ['<script>x</script><!-- y --><br/>', '&lt;script>x&lt;/script>&lt;!-- y --><br>'],
    ['<details open><summary>x', '<details open=""><summary>x'],
    ['<b', '&lt;b'],
  ])('C2 %s becomes %s before the sanitizer', (html, escaped) => {
    expect(escapeOtherTags(html)).toBe(escaped);
  });
});

describe('unfinished text', () => {
  test.each([
    ['a **bo', 'a **bo**'],
    ['a **bold*', 'a **bold**'],
    ['a **', 'a'],
    ['a `co', 'a `co`'],
    ['a `', 'a'],
    ['**a `co', '**a `co`**'],
    ['see [the fi', 'see the fi'],
    ['see [the file](http', 'see the file'],
    ['see ![al', 'see'],
    ['a ~~go', 'a ~~go~~'],
    ['5 * 3 and *.ts', '5 * 3 and *.ts'],
    ['snake_case_', 'snake_case'],
    ['x <su', 'x'],
    ['x <branch', 'x <branch'],
    ['if a <y and then', 'if a <y and then'],
    ['x <T ext', 'x <T ext'],
    ['see <https://a.te', 'see'],
    ['a <b>bo', 'a <b>bo</b>'],
    ['a <b>bold</b> and', 'a <b>bold</b> and'],
    ['a <br> b', 'a <br> b'],
    ['done **x** `y` [z](u)', 'done **x** `y` [z](u)'],
  ])('C2 %j shows as %j', (text, shown) => {
    expect(closeInline(text)).toBe(shown);
  });

  test.each([
    ['para\n-', 'para\n'],
    ['para\n```', 'para\n'],
    ['**para\n```t', '**para**\n'],
    ['a\n```ts\n*x', 'a\n```ts\n*x'],
    ['- a\n- ', '- a\n'],
    ['| a | b', '| a | b\n|---|---|\n'],
    ['| a | b |\n|--', '| a | b |\n|---|---|\n'],
  ])('C2 %j is drawn as %j', (tail, shown) => {
    expect(heal(tail, { inTable: false })).toBe(shown);
  });
});
