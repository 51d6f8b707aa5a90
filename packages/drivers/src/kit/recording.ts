/**
 * The bounded raw log of an agent's lines (A2): the last few megabytes, in the format that `replay` reads,
 * secrets removed by key. The host owns one per session; a failing disk must not end a conversation, so
 * trouble is told once and the recording stops.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';

export type Direction = 'in' | 'out' | 'err' | 'note';

export interface Recording {
  record(direction: Direction, line: string): void;
}

export interface RecordingOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told once; nothing is recorded after it. */
  readonly failed: (error: unknown) => void;
}

export function openRecording({ file, maxBytes, now, failed }: RecordingOptions): Recording {
  let size = existsSync(file) ? statSync(file).size : 0;
  let broken = false;
  return {
    record(direction, line) {
      if (broken) return;
      try {
        const text = recordedLine(now(), direction, line);
        appendFileSync(file, text, { mode: 0o600 });
        size += Buffer.byteLength(text);
        if (size > maxBytes) size = keepTail(file, size, Math.floor(maxBytes / 2));
      } catch (error) {
        broken = true;
        failed(error);
      }
    },
  };
}

/** One line of a recording: JSON lines as JSON, anything else as text. */
export function recordedLine(t: number, dir: Direction, line: string): string {
  return `${JSON.stringify({ t, dir, line: dir === 'in' || dir === 'out' ? parsed(line) : line })}\n`;
}

function parsed(line: string): unknown {
  if (!line.startsWith('{') && !line.startsWith('[')) return line;
  try {
    const value: unknown = JSON.parse(line);
    return LOOKS_SECRET.test(line) ? withoutSecrets(value) : value;
  } catch {
    return line;
  }
}

const LOOKS_SECRET = /key|token|secret|password|passwd|authorization|cookie|credential/i;
const SECRET_KEY =
  /(apikey|(access|auth|refresh|session|bearer|id)?token|secret|password|passwd|authorization|cookie|credentials?|privatekey)$/;

/** Strings under a key that names a secret become `[removed]`; numbers (token counts) stay. */
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

/** Rewrites the file to its last `keep` bytes, from a whole line on. */
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
