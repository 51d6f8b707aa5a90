import type { FileDiff } from '../conversation/entries.ts';

/** The change of a file in the form that `patch` and people know. One of which only the beginning is here says so. */
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
