/** The newest part of a session file, read from its end (A40): more is read until it is enough. Blocks while it reads. */
import { fstatSync } from 'node:fs';
import { readStretch, withFile } from './file-lines.ts';
import type { HistoryPart, HistorySource, PartOptions } from './history.ts';

/** First read, from the end. */
const FIRST = 512 * 1024;
/** More is not read to find a place to begin at: then it begins somewhere. */
export const MAX_READ = 64 * 1024 * 1024;
/** The number of the first entry where it is not known how many are before. */
const UNKNOWN_SEQ = 1_000_000;

export interface NewestPart {
  readonly part: HistoryPart;
  /** Offset after the last line that was read. */
  readonly end: number;
}

export function readNewestPart(
  source: HistorySource,
  options: Pick<PartOptions, 'file' | 'facts' | 'spill'>,
  isEnough: (part: HistoryPart) => boolean,
): NewestPart {
  return withFile(options.file, (descriptor) => {
    const { size } = fstatSync(descriptor);
    for (let length = FIRST; ; length *= 4) {
      const from = Math.max(0, size - length);
      const lines = readStretch(descriptor, from, size);
      const isWhole = from === 0 || length >= MAX_READ;
      const part = source.part(lines, { ...options, isWhole, seq: from === 0 ? 0 : UNKNOWN_SEQ });
      if (!part || (!isWhole && !isEnough(part))) continue;
      const last = lines.at(-1);
      return { part, end: last ? last.at + Buffer.byteLength(last.text) + 1 : from };
    }
  });
}
