/** Hunks as rows to draw, with the changed words of replaced lines marked. Pure. */
import type { FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';

export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
  /** The part of `text` that differs from its counterpart. */
  readonly mark?: readonly [from: number, to: number];
}

export function diffRows(hunks: readonly Hunk[]): DiffRow[] {
  return hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [gap(hunk)]), ...hunkRows(hunk)]);
}

export function diffCounts(files: readonly FileDiff[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines))) {
    if (line.startsWith('+')) added += 1;
    else if (line.startsWith('-')) removed += 1;
  }
  return { added, removed };
}

function gap(hunk: Hunk): DiffRow {
  return { kind: 'gap', text: `line ${hunk.newStart}` };
}

function hunkRows(hunk: Hunk): DiffRow[] {
  const rows: DiffRow[] = [];
  let old = hunk.oldStart;
  let fresh = hunk.newStart;
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line.startsWith('+')) rows.push({ kind: 'added', new: fresh++, text });
    else if (line.startsWith('-')) rows.push({ kind: 'removed', old: old++, text });
    else if (!line.startsWith('\\')) rows.push({ kind: 'same', old: old++, new: fresh++, text });
  }
  return withMarks(rows);
}

/** Runs of removed lines followed by as many added ones are taken as replacements, line by line. */
function withMarks(rows: readonly DiffRow[]): DiffRow[] {
  const marked = [...rows];
  let at = 0;
  while (at < rows.length) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed, 'added');
    if (removed > 0 && removed === added) {
      for (let index = 0; index < removed; index++) markPair(marked, at + index, at + removed + index);
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

function runOf(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let length = 0;
  while (rows[from + length]?.kind === kind) length += 1;
  return length;
}

function markPair(rows: DiffRow[], oldAt: number, newAt: number): void {
  const before = rows[oldAt];
  const after = rows[newAt];
  if (!before || !after) return;
  const most = Math.min(before.text.length, after.text.length);
  let head = 0;
  while (head < most && before.text[head] === after.text[head]) head += 1;
  let foot = 0;
  while (foot < most - head && before.text.at(-1 - foot) === after.text.at(-1 - foot)) foot += 1;
  // Lines with little in common are new lines: marking nearly all of both says nothing.
  if (head + foot < most * 0.3) return;
  rows[oldAt] = { ...before, mark: [head, before.text.length - foot] };
  rows[newAt] = { ...after, mark: [head, after.text.length - foot] };
}
