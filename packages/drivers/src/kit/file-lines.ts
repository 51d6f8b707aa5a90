/** Reads a file's lines with their offsets: forward in steps, or its end at once. Read-only; blocks for one step. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { PlacedLine } from './history.ts';

/** Longer lines are skipped. */
export const MAX_LINE = 16 * 1024 * 1024;
const STEP = 256 * 1024;
const NEWLINE = 10;

export interface Step {
  readonly lines: readonly PlacedLine[];
  /** Offset after the last complete line. */
  readonly end: number;
}

export function withFile<T>(path: string, read: (descriptor: number) => T): T {
  const descriptor = openSync(path, 'r');
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function readBytes(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const read = readSync(descriptor, bytes, got, length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

/** The next lines; an incomplete last line is left for later. */
export function readStep(descriptor: number, from: number, to: number): Step {
  for (let length = STEP; ; length *= 4) {
    const bytes = readBytes(descriptor, from, Math.min(length, to - from));
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= 0) return { lines: linesIn(bytes.subarray(0, last + 1), from), end: from + last + 1 };
    if (from + bytes.length >= to || bytes.length < length) return { lines: [], end: from };
    if (length > MAX_LINE) return { lines: [], end: endOfLine(descriptor, from + bytes.length, to) };
  }
}

/** All complete lines of a range; the first is skipped if it starts before it. */
export function readRange(descriptor: number, from: number, to: number): PlacedLine[] {
  const bytes = readBytes(descriptor, from, to - from);
  const start = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
  if (from > 0 && start === 0) return [];
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  return end <= start ? [] : linesIn(bytes.subarray(start, end), from + start);
}

function linesIn(bytes: Buffer, offset: number): PlacedLine[] {
  const lines: PlacedLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(NEWLINE, from);
    if (to > from && to - from <= MAX_LINE) {
      lines.push({ text: bytes.toString('utf8', from, to), at: offset + from });
    }
    from = to + 1;
  }
  return lines;
}

function endOfLine(descriptor: number, from: number, to: number): number {
  for (let at = from; at < to; at += STEP) {
    const bytes = readBytes(descriptor, at, Math.min(STEP, to - at));
    const found = bytes.indexOf(NEWLINE);
    if (found >= 0) return at + found + 1;
  }
  return from;
}
