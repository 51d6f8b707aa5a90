/** A screen that skips scrolled-off output is identical to one that parsed everything. */
import { TERMINAL_LIMITS } from '@tugdeck/protocol/terminal/terminal';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { Screen } from '../src/screen.ts';
import { freshScreen, serialized } from './fake-page.ts';

const ESC = '\u001b';
const bytes = (text: string) => new TextEncoder().encode(text);
const KEPT = TERMINAL_LIMITS.scrollback;
const RUNS = process.env.TUGDECK_TEST_FULL === '1' ? 60 : 3;

afterEach(() => void vi.useRealTimers());

const settled = (screen: Screen) => new Promise<void>((resolve) => screen.settled(resolve));

async function inOnePiece(parts: readonly string[]): Promise<string> {
  const screen = freshScreen();
  for (const part of parts) {
    screen.write(bytes(part), () => undefined);
    await settled(screen);
  }
  return serialized(screen);
}

/** In pieces so small that nothing can be skipped. */
async function inTinyPieces(parts: readonly string[]): Promise<string> {
  const screen = freshScreen();
  for (const part of parts) {
    const all = bytes(part);
    for (let at = 0; at < all.length; at += 20_000) {
      screen.write(all.subarray(at, at + 20_000), () => undefined);
      await settled(screen);
    }
  }
  return serialized(screen);
}

const before = fc.constantFrom(
  '',
  'half a line',
  `${ESC}[31mred`,
  `${ESC}[5;10H`,
  `${ESC}[?1049h`,
  `${ESC}[3;7r${ESC}[20;1H`,
  `${ESC}[?7l`,
  `${ESC}[4h`,
  `${ESC}(0`,
  `${ESC}]2;title without an end`,
  `${ESC}P+q`,
  `${ESC}[3`,
  `${ESC}`,
  '\u0090',
  '\u009d2;x',
  '日本',
);
const line = fc.constantFrom(
  'y',
  '123456',
  'ein längerer Satz',
  '日本語',
  `${'w'.repeat(200)}`,
  '',
  '\ttab',
  'a\bb',
);
const end = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r');

const numbered = Array.from({ length: KEPT + 3_000 }, (_, at) => `${'x'.repeat(at % 60)}${at}\r\n`).join('');
/** The top of the scrollback; a scroll region with the cursor below it; an unterminated title that swallows lines. */
const EXAMPLES: [string, string, string][] = [
  ['half a line', numbered, '日本'],
  [`${ESC}[3;7r${ESC}[20;1H`, numbered, ''],
  [`${ESC}]2;title without an end`, numbered, ''],
];

test('W11 a flood with skipped output leaves the same screen and scrollback', async () => {
  const flood = fc
    .tuple(
      fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: KEPT - 50, max: KEPT * 2 }),
    )
    .map(([lines, count]) =>
      Array.from({ length: count }, (_, at) => {
        const [text, stop] = lines[at % lines.length] ?? ['', '\r\n'];
        return `${text}${at % 7 === 0 ? at : ''}${stop}`;
      }).join(''),
    );
  await fc.assert(
    fc.asyncProperty(before, flood, before, async (first, text, last) => {
      const parts = [first, text, last, 'the end'];
      expect(await inOnePiece(parts)).toBe(await inTinyPieces(parts));
    }),
    { numRuns: RUNS, seed: 11, examples: EXAMPLES },
  );
}, 600_000);

test('W11 answers a query while a flood is still buffered', async () => {
  const answers: string[] = [];
  const { Screen: Own } = await import('../src/screen.ts');
  const screen = new Own(
    { cols: 80, rows: 24 },
    { answer: (text) => answers.push(text), title: () => undefined },
  );
  screen.write(bytes('y\r\n'.repeat(20_000)), () => undefined);
  await settled(screen);
  // The flood continues without anybody requesting the screen, and then the program sends a query.
  screen.write(bytes('y\r\n'), () => undefined);
  expect(screen.pending).toBe(3);
  await new Promise<void>((resolve) => screen.write(bytes(`y\r\n${ESC}[6n`), resolve));
  expect(answers).toEqual([`${ESC}[24;1R`]);
  expect(screen.pending).toBe(0);
});

test('W11 also skips output of a flood in small pieces', async () => {
  // Counts as a flood by a simulated clock, which a busy machine does not delay.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const screen = freshScreen();
  const piece = bytes('y\r\n'.repeat(1_300));
  for (let count = 0; count < 20; count++) {
    screen.write(piece, () => undefined);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(screen.pending).toBeGreaterThan(0);
  const isSettled = settled(screen);
  await vi.runAllTimersAsync();
  await isSettled;
  expect(screen.pending).toBe(0);
});
