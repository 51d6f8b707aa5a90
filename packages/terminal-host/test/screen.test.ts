/** A screen made again from its serialised form looks and behaves as the one it was made from. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshScreen, serialized } from './looker.ts';

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

describe('X2 what a sequence may ask for', () => {
  test.each(['L', 'M', 'S', 'T', 'I', 'Z', 'b'])(
    'X2 a count beyond the screen is that of the screen: %s',
    async (final) => {
      const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\r\n');
      const at = `${lines}${ESC}[5;3H`;
      const [huge] = await drawnAgain(`${at}${ESC}[2147483647${final}x`);
      const [enough] = await drawnAgain(`${at}${ESC}[${'LMST'.includes(final) ? 24 : 80}${final}x`);
      expect(huge).toBe(enough);
    },
  );

  test('X2 texts without an end are let go of, and what follows is drawn', async () => {
    for (const begin of [']2;', ']52;c;', ']8;;http://', 'P+q', '_G', '^']) {
      const [shown] = await drawnAgain(`${ESC}${begin}${'A'.repeat(300_000)}${ESC}\\after`);
      expect(shown).toContain('after');
      expect(shown.length).toBeLessThan(2_000);
    }
  });
});

describe('W1 a screen for who comes later', () => {
  test('W1 any screen, serialised and drawn, serialises to the same', async () => {
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
    ['the form of the cursor', `${ESC}[5 q`],
    ['how the mouse is told', `${ESC}[?1002h${ESC}[?1006h`],
    ['a scrolled region', `${ESC}[3;10r`],
    ['pasting in brackets', `${ESC}[?2004h`],
    ['the other screen', `main${ESC}[?1049hother`],
  ])('W1 it keeps %s', async (_, sequence) => {
    const [first, second] = await drawnAgain(`text${sequence}`);
    expect(second).toBe(first);
    const [plain] = await drawnAgain('text');
    expect(first).not.toBe(plain);
  });

  test('W1 a reset ends what was kept', async () => {
    const [plain] = await drawnAgain('');
    expect((await drawnAgain(`${ESC}[?25l${ESC}[5 q${ESC}[?1006h${ESC}[2;5r${ESC}c`))[0]).toBe(plain);
  });

  test('W1 without history it is the screen alone', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\r\n');
    const [short] = await drawnAgain(lines, false);
    expect(short).toContain('line 99');
    expect(short).not.toContain('line 50');
    expect((await drawnAgain(lines))[0]).toContain('line 50');
  });
});
