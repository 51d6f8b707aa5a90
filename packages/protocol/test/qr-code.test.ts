/**
 * QR codes are read back here with a decoder that shares no code with the encoder, except the order of modules, which
 * the standard defines.
 */
import { describe, expect, test } from 'vitest';
import { capacity, type QrCode, qrCode } from '../src/qr/qr-code.ts';
import { qrPath, qrText } from '../src/qr/qr-text.ts';

/** The standard's table of bytes per version at level M. */
const CAPACITIES = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412];
/** The standard's table of the 15 bits of level M, by mask. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
];
/** Per version at level M: blocks and data bytes of each group. */
const GROUPS: readonly (readonly (readonly [blocks: number, data: number])[])[] = [
  [[1, 16]],
  [[1, 28]],
  [[1, 44]],
  [[2, 32]],
  [[2, 43]],
  [[4, 27]],
  [[4, 31]],
  [
    [2, 38],
    [2, 39],
  ],
  [
    [3, 36],
    [2, 37],
  ],
  [
    [4, 43],
    [1, 44],
  ],
];
const ALIGNMENT = [[], [18], [22], [26], [30], [34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];

function read(code: QrCode): string {
  const size = code.length;
  const version = (size - 17) / 4;
  const dark = (x: number, y: number) => code[y]?.[x] === true;
  const format = [
    ...[0, 1, 2, 3, 4, 5, 7, 8].map((x) => dark(x, 8)),
    ...[7, 5, 4, 3, 2, 1, 0].map((y) => dark(8, y)),
  ];
  const mask = FORMATS.indexOf(format.map(Number).join(''));
  expect(mask).toBeGreaterThanOrEqual(0);
  const places = ALIGNMENT[version - 1] ?? [];
  const centers = version < 7 ? places : places;
  const isPattern = (x: number, y: number) => {
    if (x === 6 || y === 6) return true;
    if ((x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)) return true;
    if (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6))) return true;
    return centers.some((cy) =>
      centers.some((cx) => {
        const isCorner =
          (cx === 6 && cy === 6) || (cx === 6 && cy === size - 7) || (cy === 6 && cx === size - 7);
        return !isCorner && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2;
      }),
    );
  };
  const flips = [
    (i: number, j: number) => (i + j) % 2,
    (i: number) => i % 2,
    (_i: number, j: number) => j % 3,
    (i: number, j: number) => (i + j) % 3,
    (i: number, j: number) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
    (i: number, j: number) => ((i * j) % 2) + ((i * j) % 3),
    (i: number, j: number) => (((i * j) % 2) + ((i * j) % 3)) % 2,
    (i: number, j: number) => (((i + j) % 2) + ((i * j) % 3)) % 2,
  ];
  let bits = '';
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1])
        if (!isPattern(x, y)) bits += Number(dark(x, y) !== (flips[mask]?.(y, x) === 0));
    }
  }
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const lengths = (GROUPS[version - 1] ?? []).flatMap(([count, data]) => new Array<number>(count).fill(data));
  const blocks: number[][] = lengths.map(() => []);
  let at = 0;
  for (let index = 0; index < Math.max(...lengths); index++)
    for (const [number, length] of lengths.entries())
      if (index < length) blocks[number]?.push(bytes[at++] ?? 0);
  const data = blocks.flat();
  for (let index = 0; index < (CORRECTION[version - 1] ?? 0); index++)
    for (const block of blocks) block.push(bytes[at++] ?? 0);
  for (const block of blocks) expect(syndromes(block, CORRECTION[version - 1] ?? 0)).toEqual([]);
  const text = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(text.slice(0, 4)).toBe('0100');
  const wide = version < 10 ? 8 : 16;
  const length = Number.parseInt(text.slice(4, 4 + wide), 2);
  const content = Array.from({ length }, (_, index) =>
    Number.parseInt(text.slice(4 + wide + index * 8, 12 + wide + index * 8), 2),
  );
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(content));
}

/** Those that are not zero: the polynomial of an intact block is zero at each power of two. */
function syndromes(block: readonly number[], count: number): number[] {
  const power = [1];
  for (let at = 1; at < 255; at++) {
    const next = (power[at - 1] ?? 0) * 2;
    power.push(next > 255 ? next ^ 285 : next);
  }
  const product = (a: number, b: number) =>
    a === 0 || b === 0 ? 0 : (power[(power.indexOf(a) + power.indexOf(b)) % 255] ?? 0);
  return Array.from({ length: count }, (_, at) =>
    block.reduce((sum, byte) => product(sum, power[at] ?? 0) ^ byte, 0),
  ).filter((value) => value !== 0);
}

describe('QR codes', () => {
  test('N54 a code holds as many bytes as the standard says', () => {
    expect(CAPACITIES.map((_, at) => capacity(at + 1))).toEqual(CAPACITIES);
    expect(qrCode('x'.repeat(412))?.length).toBe(77);
    expect(qrCode('x'.repeat(413))).toBeUndefined();
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('N54 a code of version %i is read back', (version) => {
    const link = `https://deck.example/in/${'aZ09-_'.repeat(80)}`;
    const text = version < 3 ? 'tugdeck'.repeat(2) : `é${link}`.slice(0, capacity(version) - 1);
    const code = qrCode(version === 1 ? text : text.padEnd(capacity(version) - 1, '~'));
    if (!code) throw new Error('no code');
    expect(code.length).toBe(version * 4 + 17);
    expect(read(code).slice(0, text.length)).toBe(text);
  });

  test('N54 a code of version 7 names its version', () => {
    const code = qrCode('x'.repeat(120));
    const size = code?.length ?? 0;
    const bits = Array.from(
      { length: 18 },
      (_, at) => code?.[Math.floor((17 - at) / 3)]?.[size - 11 + ((17 - at) % 3)],
    );
    expect(bits.map(Number).join('')).toBe('000111110010010100');
  });

  test('N54 a terminal shows it with a quiet zone, in dark on light', () => {
    const code = qrCode('https://deck.example') ?? [];
    const lines = qrText(code, { isPlain: true }).split('\n');
    expect(lines.length).toBe(Math.ceil((code.length + 8) / 2));
    expect(lines[0]).toBe('█'.repeat(code.length + 8));
    expect(qrText(code).split('\n')[2]).toMatch(/48;5;231m {4}█▀/);
    expect(qrPath(code).size).toBe(code.length + 8);
    expect(qrPath(code).path).toMatch(/^M4 4h1v1h-1z/);
  });
});
