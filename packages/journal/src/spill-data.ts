/**
 * Long data and long changes of files, taken out of an entry as long texts are (X2). Data keeps its shape where single
 * texts in it are long; else the whole of it becomes one blob of JSON. A change keeps its first lines. Pure but for `store`.
 */
import type { BlobRef, FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';
import { isLong, LONG_TEXT, type Store } from './long-text.ts';

/** Of a long change so many characters are drawn without fetching it. */
const DIFF_HEAD = 8 * 1024;

export function spillData(value: unknown, store: Store): unknown {
  if (!isLongData(value)) return value;
  const shaped = withoutLongTexts(value, store);
  return isLongData(shaped) ? { ...store(JSON.stringify(value)), form: 'json' } : shaped;
}

function isLongData(value: unknown): boolean {
  return value !== undefined && isLong(JSON.stringify(value) ?? '');
}

function withoutLongTexts(value: unknown, store: Store): unknown {
  if (typeof value === 'string') return isLong(value) ? storeExactly(value, store) : value;
  if (Array.isArray(value)) return value.map((part) => withoutLongTexts(part, store));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutLongTexts(part, store)]));
}

/** Half a character has no bytes of its own; as JSON it is written out. */
function storeExactly(text: string, store: Store): BlobRef {
  return /\p{Surrogate}/u.test(text) ? { ...store(JSON.stringify(text)), form: 'json' } : store(text);
}

export function spillDiff(files: readonly FileDiff[], store: Store): FileDiff[] {
  if (!isLongData(files)) return [...files];
  let left = LONG_TEXT / 4;
  return files.map((file) => {
    if (file.more) return file;
    const size = sizeOf(file.hunks);
    if (size <= Math.min(left, DIFF_HEAD)) {
      left -= size;
      return file;
    }
    const hunks = beginningOf(file.hunks, Math.min(left, DIFF_HEAD));
    left -= sizeOf(hunks);
    return { ...file, hunks, more: allOf(file.hunks, store), counts: countsOf(file.hunks) };
  });
}

/** Its ends are not needed: the change has its beginning, and JSON cut in two tells nobody anything. */
function allOf(hunks: readonly Hunk[], store: Store): BlobRef {
  return { ...store(JSON.stringify(hunks)), head: '', tail: '', form: 'json' };
}

function sizeOf(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.reduce((all, line) => all + line.length + 3, 60), 0);
}

function beginningOf(hunks: readonly Hunk[], most: number): Hunk[] {
  const kept: Hunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    const lines: string[] = [];
    for (const line of hunk.lines) {
      left -= line.length + 3;
      if (left < 0) break;
      lines.push(line);
    }
    // The first is kept even where none of its lines has room: it tells a new file from a changed one.
    if (lines.length > 0 || kept.length === 0) kept.push({ ...hunk, lines });
    if (left < 0) break;
  }
  return kept;
}

function countsOf(hunks: readonly Hunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
