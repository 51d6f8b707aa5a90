import type { FileDiff } from '../conversation/entries.ts';

/** The change of a file in the form that `patch` and people know. */
export function patchText(file: FileDiff): string {
  const head = [`--- ${file.oldPath ?? file.path}`, `+++ ${file.path}`];
  const hunks = file.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return `${[...head, ...hunks].join('\n')}\n`;
}
