/**
 * The raw recording of an agent's lines (A2), limited to the last megabytes, in the format of `replay`, with secrets
 * removed by key. One per session. A disk error is reported once and stops the recording, not the conversation. Lines
 * are buffered, because every line passes here; the owner flushes at the end.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { parseJson } from '@tugdeck/protocol/parse-json';

export type Direction = 'in' | 'out' | 'err' | 'note';

export interface Recording {
  record(direction: Direction, line: string): void;
  /** Writes buffered lines. */
  flush(): void;
}

export interface RecordingOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called once; recording stops. */
  readonly failed: (error: unknown) => void;
}

/** Limits of the buffer, in time and characters. */
const WITHIN_MS = 250;
const FULL = 64 * 1024;

export function openRecording({ file, maxBytes, now, failed }: RecordingOptions): Recording {
  let size = existsSync(file) ? statSync(file).size : 0;
  let broken = false;
  let pending: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = pending.join('');
    pending = [];
    length = 0;
    if (broken || text === '') return;
    try {
      size = append(file, text);
      if (size > maxBytes) size = keepTail(file, size, Math.floor(maxBytes / 2));
    } catch (error) {
      broken = true;
      failed(error);
    }
  }

  return {
    flush,
    record(direction, line) {
      if (broken) return;
      const text = recordedLine(now(), direction, line);
      pending.push(text);
      length += text.length;
      if (length >= Math.min(FULL, maxBytes / 4)) flush();
      else timer ??= setTimeout(flush, WITHIN_MS).unref();
    },
  };
}

/** Returns the new file size. */
function append(file: string, text: string): number {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

/** One line of a recording: JSON lines as JSON, anything else as text. */
export function recordedLine(t: number, dir: Direction, line: string): string {
  const body = dir === 'in' || dir === 'out' ? jsonOf(line) : JSON.stringify(line);
  return `{"t":${JSON.stringify(t)},"dir":"${dir}","line":${body}}\n`;
}

/** The line unchanged if it is JSON without secrets. */
function jsonOf(line: string): string {
  if (!line.startsWith('{') && !line.startsWith('[')) return JSON.stringify(line);
  try {
    const value: unknown = parseJson(line);
    const isSuspect = MAY_HOLD_SECRET.test(line) || (line.includes('\\u00') && ESCAPED_LETTER.test(line));
    return isSuspect ? JSON.stringify(withoutSecrets(value)) : line;
  } catch {
    return JSON.stringify(line);
  }
}

const SECRET_WORDS = [
  ...['apikey', 'privatekey', 'token', 'secret', 'password', 'passwd'],
  ...['authorization', 'cookie', 'credential', 'credentials'],
];
/**
 * A key that names a secret, followed by a string, even with escaped letters. Matches the raw text backwards from
 * each quote, of which a line has few.
 */
const MAY_HOLD_SECRET = new RegExp(
  `"(?<=(?:${SECRET_WORDS.map((word) => [...word].join('[_-]*')).join('|')})[_-]*")\\s*:\\s*"`,
  'i',
);
const ESCAPED_LETTER = /\\u00[2-7]/;
const SECRET_KEY =
  /(apikey|(access|auth|refresh|session|bearer|id)?token|secret|password|passwd|authorization|cookie|credentials?|privatekey)$/;

/** Replaces strings under secret keys with `[removed]`; numbers (token counts) stay. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const secret = typeof field === 'string' && SECRET_KEY.test(key.toLowerCase().replace(/[_-]/g, ''));
      return [key, secret ? '[removed]' : withoutSecrets(field)];
    }),
  );
}

/** Truncates the file to its last `keep` bytes, at a line start. */
function keepTail(file: string, size: number, keep: number): number {
  const buffer = Buffer.alloc(keep);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, keep, size - keep);
  } finally {
    closeSync(descriptor);
  }
  const tail = buffer.subarray(buffer.indexOf(0x0a) + 1);
  writeFileSync(`${file}.new`, tail, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return tail.length;
}
