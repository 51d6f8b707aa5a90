import type { FileDiff } from '@tugdeck/protocol/conversation/entries';

export function DiffCounts({ files }: { files: readonly FileDiff[] }) {
  const { added, removed } = diffCounts(files);
  return (
    <span className="diff-counts">
      {added > 0 ? <span className="is-added">+{added}</span> : null}
      {removed > 0 ? <span className="is-removed">−{removed}</span> : null}
    </span>
  );
}

/** Counts added and removed lines. */
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
