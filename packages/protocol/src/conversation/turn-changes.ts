/** The file changes that the tools of a turn made: for session lists and the end of each turn. Pure. */
import type { FileDiff } from './entries.ts';
import { entriesFrom } from './entry-store.ts';
import type { Conversation } from './state.ts';

export interface TurnChanges {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** Changes by the finished tools with sequence numbers from `from` up to, but not including, `to`. */
export function changesBetween(state: Conversation, from: number, to: number): TurnChanges {
  const [files, counts] = [new Set<string>(), { added: 0, removed: 0 }];
  for (const entry of entriesFrom(state.entries, Math.max(state.from, from))) {
    if (entry.seq >= to) break;
    if (entry.kind !== 'tool' || entry.state !== 'done') continue;
    for (const diff of entry.diff ?? []) {
      const { added, removed } = lineCounts(diff);
      files.add(diff.path);
      counts.added += added;
      counts.removed += removed;
    }
  }
  return { files: files.size, ...counts };
}

/** Counted once per diff: entries are frozen, and a busy session is summarized several times a second. */
const countsOf = new WeakMap<FileDiff, { added: number; removed: number }>();

function lineCounts(diff: FileDiff): { added: number; removed: number } {
  const known = diff.counts ?? countsOf.get(diff);
  if (known) return known;
  const counts = { added: 0, removed: 0 };
  for (const { lines } of diff.hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) counts.added++;
      else if (line.startsWith('-')) counts.removed++;
    }
  }
  countsOf.set(diff, counts);
  return counts;
}
