import { expect, test } from 'vitest';
import { visibleExact, visiblePath, visibleText } from '../src/visible-text.ts';

const LAST = 0x10ffff;
const PAGE = 0x100;
const spelled = (code: number) => `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Invisible, drawn as a blank, or drawn differently than read. */
function isHidden(character: string): boolean {
  if (character === '\t' || character === '\n' || character === ' ') return false;
  return (
    /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(character) ||
    /[\u2400-\u243f\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u.test(character)
  );
}

function shownAs(code: number): string {
  const character = String.fromCodePoint(code);
  return isHidden(character) ? spelled(code) : character;
}

test('C23 escapes every hidden code point between letters, and no other', () => {
  const wrong: string[] = [];
  // In batches: a million calls would take seconds.
  for (let from = 0; from <= LAST; from += PAGE) {
    const codes = Array.from({ length: PAGE }, (_, at) => from + at);
    const text = codes.map((code) => `a${String.fromCodePoint(code)}b`).join('');
    const shown = codes.map((code) => `a${shownAs(code)}b`).join('');
    if (visibleText(text) !== shown) wrong.push(`text from ${spelled(from)}`);
    if (visibleExact(text) !== shown) wrong.push(`exact from ${spelled(from)}`);
  }
  expect(wrong).toEqual([]);
});

test('C23 earlier gaps are closed', () => {
  const ranges = [
    [0xfe00, 0xfe0f],
    [0xfff0, 0xfffb],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
    [0x3000, 0x3000],
    [0x3164, 0x3164],
    [0xe000, 0xe000],
    [0x10fffe, 0x10ffff],
    [0xd800, 0xdfff],
  ] as const;
  for (const [from, to] of ranges)
    for (let code = from; code <= to; code++) {
      expect(visibleText(`rm${String.fromCodePoint(code)}x`)).toBe(`rm${spelled(code)}x`);
    }
});

const FLAG = '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
const EMOJI = [
  '⚠\ufe0f',
  '👩\u200d👩\u200d👧\u200d👦',
  '👩🏽\u200d💻',
  '🏳\ufe0f\u200d🌈',
  '👩🏻\u200d❤\ufe0f\u200d💋\u200d👨🏿',
  '1\ufe0f\u20e3',
  '🇩🇪',
  '👍🏿',
  FLAG,
];

test.each(EMOJI)('C23 keeps an emoji in a title and escapes it in a command: %s', (emoji) => {
  expect(visibleText(`a ${emoji} b`)).toBe(`a ${emoji} b`);
  const exact = visibleExact(`a ${emoji} b`);
  expect(exact).not.toMatch(/[\p{Default_Ignorable_Code_Point}]/u);
  expect(exact === `a ${emoji} b`).toBe(!/[\p{Default_Ignorable_Code_Point}]/u.test(emoji));
  expect(visiblePath(`a ${emoji} b`)).toBe(exact);
});

test('C23 keeps joiners between letters that need them, only in titles', () => {
  for (const word of ['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී']) {
    expect(visibleText(word)).toBe(word);
    expect(visibleExact(word)).toMatch(/⟨U\+200[CD]⟩/);
  }
});

test.each([
  ['two joiners', 'क्\u200d\u200dष', 'क्⟨U+200D⟩⟨U+200D⟩ष'],
  ['a joiner at the end', 'می\u200c', 'می⟨U+200C⟩'],
  ['a joiner between scripts that use none', 'é\u200dж', 'é⟨U+200D⟩ж'],
  ['a joiner after an emoji', '👩\u200dx', '👩⟨U+200D⟩x'],
  ['more joiners than any emoji has', '👩\u200d'.repeat(5), '👩\u200d👩\u200d👩\u200d👩⟨U+200D⟩👩⟨U+200D⟩'],
  ['a second selector', '⚠\ufe0f\ufe0f', '⚠\ufe0f⟨U+FE0F⟩'],
  ['a text selector', '⚠\ufe0e', '⚠⟨U+FE0E⟩'],
  ['a selector after a digit', '1\ufe0f', '1⟨U+FE0F⟩'],
  ['a message in tags', '🏴\u{e0072}\u{e006d}\u{e007f}', '🏴⟨U+E0072⟩⟨U+E006D⟩⟨U+E007F⟩'],
  ['a flag with an extra tag', `${FLAG}\u{e0061}`, `${FLAG}⟨U+E0061⟩`],
  ['a lone surrogate before a pair', '\ud83d\ud83d\ude00', '⟨U+D83D⟩😀'],
  ['a code point reserved for an emoji', '\u{1fffd}\ufe0f', '⟨U+1FFFD⟩⟨U+FE0F⟩'],
])('C23 escapes what only looks like a sequence: %s', (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});
