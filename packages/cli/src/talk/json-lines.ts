/**
 * Standard input and output of `talk` as JSON lines (H2). Nothing but lines from here may reach stdout; a reader
 * that is slow is waited for, one that is gone is told of once.
 */
import { createLineReader } from '@tugdeck/local/lines';

/** As much as a session host takes in one line. */
const MAX_LINE = 2 * 1024 * 1024;

export interface JsonLines {
  write(value: unknown): void;
  /** Resolves when no more lines will come. */
  readonly ended: Promise<void>;
}

export interface JsonLinesEvents {
  line(text: string): void;
  overlong(): void;
  /** The other side does not read as fast as we write; then that it does again. */
  full(): void;
  drained(): void;
  /** Nobody reads any more. */
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
