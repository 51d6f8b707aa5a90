/** Counts added and removed lines. In a separate file, because the counts are needed before the rows. */
import type { FileDiff } from '@tugdeck/protocol/conversation/entries';

export function diffCounts(files: readonly FileDiff[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { hunks, counts } of files) {
    if (counts) {
      added += counts.added;
      removed += counts.removed;
      continue;
    }
    for (const line of hunks.flatMap((hunk) => hunk.lines)) {
      if (line.startsWith('+')) added += 1;
      else if (line.startsWith('-')) removed += 1;
    }
  }
  return { added, removed };
}
