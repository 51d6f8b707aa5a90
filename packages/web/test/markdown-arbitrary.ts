/** Random Markdown, and random splits of a text. */
import fc from 'fast-check';

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
  ...['$x^2$', '$5', '\\(a+b\\)', '$$y$$'],
];
const LINES = [
  ...[
    '# Heading',
    '$$',
    '$$ a $$',
    '\\[ x \\]',
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
/** Words in angle brackets, and tags with and without their counterparts. */
const ANGLES = [
  ...[
    'git checkout <branch>',
    'List<int>',
    'Promise<void>',
    '<T extends Foo>',
    '<Button onClick={x}>',
    'Set<A>',
  ],
  ...[
    '<select>',
    'a <b c',
    'x<y and y>z',
    '<b>bold',
    '</i>',
    '<i>a</i>',
    '<kbd>K</kbd>',
    '<!-- hidden -->',
    '<br>',
  ],
  ...['<foo bar="*x*">', '<your-app>', '<?php x ?>', '<![CDATA[x]]>', '<https://a.test/b>', '<h1>', '<td>'],
];
const ANGLE_LINES = [
  ...[
    '<branch> is a word',
    '<thinking>',
    '</thinking>',
    '<form>',
    '<details><summary>Sum</summary>',
    '</details>',
  ],
  ...[
    '<details>',
    '<summary>',
    '<Warning>',
    '<table><tr><td>cell</td></tr></table>',
    '<script>',
    '<div>in <x></div>',
  ],
  ...['[^a]: a *note*', '    more of it', 'see [^a] and [^1]'],
];
function markdownOf(inline: readonly string[], lines: readonly string[]): fc.Arbitrary<string> {
  const words = fc
    .array(fc.constantFrom(...inline), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(' '));
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...lines) },
    { weight: 2, arbitrary: words },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...inline)).map((two) => two.join(' ')),
    },
  );
  return fc
    .tuple(fc.array(line, { maxLength: 24 }), fc.constantFrom('\n', '\n', '\n', '\r\n'))
    .map(([texts, end]) => texts.join(end));
}

export const markdown = markdownOf(INLINE, LINES);
export const angledMarkdown = markdownOf([...INLINE, ...ANGLES], [...LINES, ...ANGLE_LINES]);

export function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

export function inSteps(text: string, step: number): string[] {
  return Array.from({ length: Math.ceil(text.length / step) }, (_, index) =>
    text.slice(index * step, (index + 1) * step),
  );
}
