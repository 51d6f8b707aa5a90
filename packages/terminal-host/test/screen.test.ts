/** A screen restored from its serialized form looks and behaves like the original. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshScreen, serialized } from './fake-page.ts';

const ESC = '\u001b';

async function drawnAgain(written: string, withHistory = true): Promise<[first: string, second: string]> {
  const first = freshScreen();
  first.write(new TextEncoder().encode(written), () => undefined);
  const text = await serialized(first, withHistory);
  const second = freshScreen();
  second.write(new TextEncoder().encode(text), () => undefined);
  return [text, await serialized(second, withHistory)];
}

const words = fc.string({ unit: 'grapheme', maxLength: 30 });
const piece = fc.oneof(
  words,
  words.map((text) => `${text}\r\n`),
  fc.integer({ min: 0, max: 107 }).map((code) => `${ESC}[${code}m`),
  fc.constantFrom('38;5;123', '48;2;1;2;3', '1;4;7', '0').map((code) => `${ESC}[${code}m`),
  fc
    .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 80 }))
    .map(([y, x]) => `${ESC}[${y};${x}H`),
  fc.constantFrom('3P', '2L', '2M', '5@').map((code) => `${ESC}[${code}`),
  fc.constantFrom('25', '1006', '2004', '1002', '1').map((mode) => `${ESC}[?${mode}h`),
  fc.constantFrom('25', '1006', '2004').map((mode) => `${ESC}[?${mode}l`),
);

describe('X2 limits of escape sequences', () => {
  test.each(['L', 'M', 'S', 'T', 'I', 'Z', 'b'])('X2 clamps counts to the screen: %s', async (final) => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\r\n');
    const at = `${lines}${ESC}[5;3H`;
    const [huge] = await drawnAgain(`${at}${ESC}[2147483647${final}x`);
    const [enough] = await drawnAgain(`${at}${ESC}[${'LMST'.includes(final) ? 24 : 80}${final}x`);
    expect(huge).toBe(enough);
  });

  test('X2 discards unterminated strings and renders what follows', async () => {
    for (const begin of [']2;', ']52;c;', ']8;;http://', 'P+q', '_G', '^']) {
      const [shown] = await drawnAgain(`${ESC}${begin}${'A'.repeat(300_000)}${ESC}\\after`);
      expect(shown).toContain('after');
      expect(shown.length).toBeLessThan(2_000);
    }
  });
});

describe('W1 a serialized screen', () => {
  test('W10 restores any screen so that it serializes to the same text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const [first, second] = await drawnAgain(pieces.join(''));
        expect(second).toBe(first);
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  test.each([
    ['a hidden cursor', `${ESC}[?25l`],
    ['the cursor style', `${ESC}[5 q`],
    ['the mouse encoding', `${ESC}[?1002h${ESC}[?1006h`],
    ['a scroll region', `${ESC}[3;10r`],
    ['bracketed paste', `${ESC}[?2004h`],
    ['the alternate screen', `main${ESC}[?1049hother`],
  ])('W10 keeps %s', async (_, sequence) => {
    const [first, second] = await drawnAgain(`text${sequence}`);
    expect(second).toBe(first);
    const [plain] = await drawnAgain('text');
    expect(first).not.toBe(plain);
  });

  test('W10 forgets kept modes on a reset', async () => {
    const [plain] = await drawnAgain('');
    expect((await drawnAgain(`${ESC}[?25l${ESC}[5 q${ESC}[?1006h${ESC}[2;5r${ESC}c`))[0]).toBe(plain);
  });

  test('W10 contains only the screen without history', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\r\n');
    const [short] = await drawnAgain(lines, false);
    expect(short).toContain('line 99');
    expect(short).not.toContain('line 50');
    expect((await drawnAgain(lines))[0]).toContain('line 50');
  });
});
