/**
 * Stdin and stdout of `talk` as JSON lines (H2). Nothing else may be written to stdout. Waits for a slow reader;
 * reports once when the reader is gone.
 */
import { createLineReader } from '@tugdeck/local/lines';

/** The longest line a session host accepts. */
const MAX_LINE = 2 * 1024 * 1024;

export interface JsonLines {
  write(value: unknown): void;
  /** Resolves when stdin has ended. */
  readonly ended: Promise<void>;
}

export interface JsonLinesEvents {
  line(text: string): void;
  overlong(): void;
  /** The other side reads more slowly than we write; `drained` follows. */
  full(): void;
  drained(): void;
  /** The reader closed stdout. */
  gone(): void;
}

export function jsonLines(events: JsonLinesEvents): JsonLines {
  const { stdin, stdout } = process;
  const reader = createLineReader(MAX_LINE, { line: events.line, overlong: events.overlong });
  let isGone = false;
  let isFull = false;
  stdout.on('error', () => {
    if (!isGone) events.gone();
    isGone = true;
  });
  stdout.on('drain', () => {
    isFull = false;
    events.drained();
  });
  const ended = new Promise<void>((resolve) => {
    stdin.on('data', (chunk: Buffer) => reader.push(chunk));
    stdin.on('end', () => {
      reader.end();
      resolve();
    });
    stdin.on('error', () => resolve());
  });
  return {
    ended,
    write(value) {
      if (isGone) return;
      if (stdout.write(`${JSON.stringify(value)}\n`) || isFull) return;
      isFull = true;
      events.full();
    },
  };
}
