/**
 * JSON lines from a local socket: whole lines only, one batch per piece of data, so that what arrived
 * together can go on together. A line above the limit is skipped and reported, never kept.
 */
import { StringDecoder } from 'node:string_decoder';

export interface LineReader {
  push(chunk: Buffer): void;
}

export function lineReader(
  maxLength: number,
  events: { lines(lines: readonly string[]): void; overlong(): void },
): LineReader {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let held = 0;
  let skipping = false;
  return {
    push(chunk) {
      const parts = decoder.write(chunk).split('\n');
      const lines: string[] = [];
      parts.forEach((part, index) => {
        const isLast = index === parts.length - 1;
        if (!skipping) {
          pieces.push(part);
          held += part.length;
          if (held > maxLength) {
            skipping = true;
            pieces = [];
            events.overlong();
          }
        }
        if (isLast) return;
        if (!skipping) {
          const line = pieces.join('');
          if (line.trim() !== '') lines.push(line);
        }
        pieces = [];
        held = 0;
        skipping = false;
      });
      if (lines.length > 0) events.lines(lines);
    },
  };
}
