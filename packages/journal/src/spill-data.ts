/**
 * Moves long data and long file diffs of an entry into blobs, as `spill` does with texts (X2). Data keeps its shape
 * if only single texts in it are long; otherwise all of it becomes one JSON blob. A diff keeps its first lines. Pure
 * except for `store`.
 */
import type { FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { isLong, LONG_TEXT, type Store } from './long-text.ts';

/** Number of characters of a long diff that are shown without fetching it. */
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

/** A lone surrogate cannot be encoded as UTF-8, so such text is stored as JSON, which escapes it. */
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

/** Stores no head or tail: the diff has its first lines already, and a fragment of JSON is useless. */
function allOf(hunks: readonly Hunk[], store: Store): BlobRef {
  return { ...store(JSON.stringify(hunks)), head: '', tail: '', form: 'json' };
}

function sizeOf(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.reduce((all, line) => all + line.length + 3, 60), 0);
}

function beginningOf(hunks: readonly Hunk[], limit: number): Hunk[] {
  const kept: Hunk[] = [];
  let left = limit;
  for (const hunk of hunks) {
    const lines: string[] = [];
    for (const line of hunk.lines) {
      left -= line.length + 3;
      if (left < 0) break;
      lines.push(line);
    }
    // Keep the first hunk even if none of its lines fit: it distinguishes a new file from a changed one.
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
