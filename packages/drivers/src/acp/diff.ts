/**
 * Computes hunks from old and new text, because ACP agents send whole texts instead of patches. Pure.
 */
import type { FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';
import { type LineEdit, lineEdits, NO_NEWLINE } from '@tugdeck/protocol/files/line-edits';

const CONTEXT = 3;

export function textDiff(path: string, oldText: string | null | undefined, newText: string): FileDiff {
  return { path, hunks: hunksOf(lineEdits(oldText ?? '', newText)) };
}

function hunksOf(ops: readonly LineEdit[]): Hunk[] {
  const changed = ops.flatMap(([sign], index) => (sign === ' ' ? [] : [index]));
  const hunks: Hunk[] = [];
  let oldLine = 1;
  let newLine = 1;
  let at = 0;
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <= 2 * CONTEXT) last++;
    const from = Math.max(at, (changed[first] ?? 0) - CONTEXT);
    const to = Math.min(ops.length, (changed[last] ?? 0) + CONTEXT + 1);
    oldLine += from - at;
    newLine += from - at;
    const part = ops.slice(from, to);
    const oldLines = part.filter(([sign]) => sign !== '+').length;
    const newLines = part.filter(([sign]) => sign !== '-').length;
    hunks.push({
      oldStart: oldLines === 0 ? oldLine - 1 : oldLine,
      oldLines,
      newStart: newLines === 0 ? newLine - 1 : newLine,
      newLines,
      lines: part.flatMap(([sign, line]) =>
        line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE],
      ),
    });
    oldLine += oldLines;
    newLine += newLines;
    at = to;
    first = last + 1;
  }
  return hunks;
}
