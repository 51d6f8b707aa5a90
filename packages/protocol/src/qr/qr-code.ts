/**
 * Draws a text as a QR code (ISO/IEC 18004) of error correction level M: bytes only, versions 1 to 15, which is more
 * than a sign-in link needs. Pure.
 */
import { correctionOf } from './correction.ts';

/** Rows of modules; true is dark. Without the quiet zone of four modules around it. */
export type QrCode = readonly (readonly boolean[])[];

/** Per version: correction bytes in each block, and blocks. */
const BLOCKS: readonly (readonly [correction: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Undefined if the text is too long. */
export function qrCode(text: string): QrCode | undefined {
  const data = utf8(text);
  const version = BLOCKS.findIndex((_, index) => data.length <= capacity(index + 1)) + 1;
  if (version === 0) return undefined;
  const plain = drawPatterns(version);
  drawBytes(plain, interleave(version, dataBytes(version, data)));
  const masked = MASKS.map((mask, number) => withMask(plain, mask, number));
  return masked.reduce((best, next) => (penalty(next) < penalty(best) ? next : best));
}

function utf8(text: string): Uint8Array {
  const parts = encodeURIComponent(text).match(/%..|./g) ?? [];
  return Uint8Array.from(parts, (part) =>
    part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16),
  );
}

/** How many bytes of text fit. */
export function capacity(version: number): number {
  return dataLength(version) - (version < 10 ? 2 : 3);
}

function blocksOf(version: number) {
  const [correction, count] = BLOCKS[version - 1] ?? [0, 0];
  return { correction, count };
}

function dataLength(version: number): number {
  const { correction, count } = blocksOf(version);
  return rawLength(version) - correction * count;
}

/** Bytes that have room beside the patterns. */
function rawLength(version: number): number {
  const patterns = Math.floor(version / 7) + 2;
  const alignment = version === 1 ? 0 : (25 * patterns - 10) * patterns - 55;
  const bits = (16 * version + 128) * version + 64 - alignment - (version < 7 ? 0 : 36);
  return Math.floor(bits / 8);
}

/** Mode, length, text and padding. */
function dataBytes(version: number, text: Uint8Array): Uint8Array {
  const size = version < 10 ? 8 : 16;
  const bits = `0100${text.length.toString(2).padStart(size, '0')}${[...text]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')}0000`;
  const bytes = Uint8Array.from({ length: dataLength(version) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).padEnd(8, '0'), 2),
  );
  const used = Math.ceil(bits.length / 8);
  for (let at = used; at < bytes.length; at++) bytes[at] = (at - used) % 2 === 0 ? 0xec : 0x11;
  return bytes;
}

function interleave(version: number, data: Uint8Array): number[] {
  const { correction, count } = blocksOf(version);
  const short = Math.floor(data.length / count);
  // The last blocks have one byte more.
  const long = data.length % count;
  let from = 0;
  const blocks = Array.from({ length: count }, (_, at) => {
    const length = short + (at >= count - long ? 1 : 0);
    from += length;
    return data.subarray(from - length, from);
  });
  const corrections = blocks.map((block) => correctionOf(block, correction));
  const all: number[] = [];
  for (const parts of [blocks, corrections]) {
    for (let at = 0; at <= Math.max(short, correction); at++) {
      for (const part of parts) {
        const byte = part[at];
        if (byte !== undefined) all.push(byte);
      }
    }
  }
  return all;
}

/** A square under construction. `fixed`: patterns, which carry no data. */
interface Square {
  readonly size: number;
  readonly dark: boolean[][];
  readonly fixed: boolean[][];
}

function drawPatterns(version: number): Square {
  const size = version * 4 + 17;
  const rows = () => Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const square: Square = { size, dark: rows(), fixed: rows() };
  for (let at = 0; at < size; at++) {
    set(square, 6, at, at % 2 === 0);
    set(square, at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(square, x, y, 4, (distance) => distance !== 2 && distance !== 4);
  const places = alignmentPlaces(version, size);
  const last = places.length - 1;
  for (const [row, y] of places.entries()) {
    for (const [column, x] of places.entries()) {
      const isCorner =
        (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0);
      if (!isCorner) drawRings(square, x, y, 2, (distance) => distance !== 1);
    }
  }
  drawFormat(square, 0);
  if (version >= 7) drawVersion(square, version);
  return square;
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - (count - 2 - at) * step)];
}

function drawRings(square: Square, x: number, y: number, radius: number, isDark: (at: number) => boolean) {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++)
      set(square, x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  }
}

function set({ dark, fixed, size }: Square, x: number, y: number, isDark: boolean): void {
  const [row, marks] = [dark[y], fixed[y]];
  if (!row || !marks || x < 0 || x >= size) return;
  row[x] = isDark;
  marks[x] = true;
}

/** The 15 bits of level M and a mask, beside the finder patterns, twice. */
function drawFormat(square: Square, mask: number): void {
  const { size } = square;
  let rest = mask;
  for (let at = 0; at < 10; at++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >> at) & 1) === 1;
  for (let at = 0; at < 15; at++) {
    const near = at < 6 ? at : at < 8 ? at + 1 : 14 - at + (at === 8 ? 1 : 0);
    if (at < 8) set(square, 8, near, bit(at));
    else set(square, near, 8, bit(at));
    if (at < 8) set(square, size - 1 - at, 8, bit(at));
    else set(square, 8, size - 15 + at, bit(at));
  }
  set(square, 8, size - 8, true);
}

function drawVersion(square: Square, version: number): void {
  let rest = version;
  for (let at = 0; at < 12; at++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >> at) & 1) === 1;
    const [across, along] = [square.size - 11 + (at % 3), Math.floor(at / 3)];
    set(square, across, along, isDark);
    set(square, along, across, isDark);
  }
}

/** In columns of two from the right, up and down in turns. */
function drawBytes({ size, dark, fixed }: Square, bytes: readonly number[]): void {
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (!row || fixed[y]?.[x] || at >= bytes.length * 8) continue;
        row[x] = (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
}

function withMask({ size, dark, fixed }: Square, mask: (typeof MASKS)[number], number: number): boolean[][] {
  const rows = dark.map((row, y) => row.map((is, x) => (fixed[y]?.[x] ? is : is !== mask(x, y))));
  drawFormat({ size, dark: rows, fixed: fixed.map((row) => [...row]) }, number);
  return rows;
}

/** The standard's measure of how hard a code is to read. */
function penalty(rows: QrCode): number {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true));
  let sum = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((is) => (is ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    // Looks like a finder pattern.
    sum += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  let count = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const is = rows[y]?.[x] === true;
      if (is) count++;
      const same = (dx: number, dy: number) => rows[y + dy]?.[x + dx] === is;
      if (same(1, 0) && same(0, 1) && same(1, 1)) sum += 3;
    }
  }
  return sum + 10 * Math.floor(Math.abs((count * 100) / (size * size) - 50) / 5);
}
