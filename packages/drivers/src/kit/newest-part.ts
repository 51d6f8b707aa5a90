/** Reads the newest part of a session file from its end (A40), until it is enough. Blocking. */
import { fstatSync } from 'node:fs';
import { readRange, withFile } from './file-lines.ts';
import type { HistoryPart, HistorySource, PartOptions, PlacedLine } from './history.ts';

/** First read size. */
const FIRST = 512 * 1024;
/** Maximum read to find a suitable start; then the part starts anywhere. */
export const MAX_READ = 64 * 1024 * 1024;
/** First sequence number if the number of earlier entries is unknown. */
const UNKNOWN_SEQ = 1_000_000;

/** The last lines of a file, at most `length` bytes. */
export function readLastLines(file: string, length: number): readonly PlacedLine[] {
  return withFile(file, (descriptor) => {
    const { size } = fstatSync(descriptor);
    return readRange(descriptor, Math.max(0, size - length), size);
  });
}

export interface NewestPart {
  readonly part: HistoryPart;
  /** Offset after the last line read. */
  readonly end: number;
}

export function readNewestPart(
  source: HistorySource,
  options: Pick<PartOptions, 'file' | 'facts' | 'spill' | 'subagent'>,
  isEnough: (part: HistoryPart) => boolean,
): NewestPart {
  return withFile(options.file, (descriptor) => {
    const { size } = fstatSync(descriptor);
    for (let length = FIRST; ; length *= 4) {
      const from = Math.max(0, size - length);
      const lines = readRange(descriptor, from, size);
      const isWhole = from === 0 || length >= MAX_READ;
      const part = source.part(lines, { ...options, isWhole, seq: from === 0 ? 0 : UNKNOWN_SEQ });
      if (!part || (!isWhole && !isEnough(part))) continue;
      const last = lines.at(-1);
      return { part, end: last ? last.at + Buffer.byteLength(last.text) + 1 : from };
    }
  });
}
