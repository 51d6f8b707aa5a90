import type { FileDiff } from '../conversation/entries.ts';

/** A file's change as a unified diff. Its last line says if it is truncated. */
export function patchText(file: FileDiff): string {
  const head = [`--- ${file.oldPath ?? file.path}`, `+++ ${file.path}`];
  const hunks = file.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  const { more, counts } = file;
  const cut = more
    ? [`… (truncated: ${counts?.added ?? 0} lines added and ${counts?.removed ?? 0} removed in total)`]
    : [];
  return `${[...head, ...hunks, ...cut].join('\n')}\n`;
}
