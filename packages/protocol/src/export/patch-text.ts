import type { FileDiff } from '../conversation/entries.ts';

/** A file's change as a unified diff. A truncated one says so. */
export function patchText(file: FileDiff): string {
  const head = [`--- ${file.oldPath ?? file.path}`, `+++ ${file.path}`];
  const hunks = file.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  const { more, counts } = file;
  const cut = more ? [`… (in all ${counts?.added ?? 0} lines added, ${counts?.removed ?? 0} removed)`] : [];
  return `${[...head, ...hunks, ...cut].join('\n')}\n`;
}
