/** Converts hunks to rows and marks the changed words of replaced lines. Pure. */
import type { Hunk } from '@tugdeck/protocol/conversation/entries';
import { type Mark, wordMarks } from './word-marks.ts';

export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
  /** The ranges of `text` that differ from its counterpart. */
  readonly marks?: readonly Mark[];
}

export function diffRows(hunks: readonly Hunk[]): DiffRow[] {
  return hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [gap(hunk)]), ...hunkRows(hunk)]);
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

/** Similarity from which a removed and an added line count as one changed line. */
const ALIKE = 0.4;
/** Longer runs are treated as new text: comparing all pairs would take too long. */
const MAX_RUN = 60;

function withMarks(rows: readonly DiffRow[]): DiffRow[] {
  const marked = [...rows];
  let at = 0;
  while (at < rows.length) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed, 'added');
    if (Math.max(removed, added) <= MAX_RUN) markRun(marked, at, at + removed, at + removed + added);
    at += Math.max(1, removed + added);
  }
  return marked;
}

function runOf(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let length = 0;
  while (rows[from + length]?.kind === kind) length += 1;
  return length;
}

function markRun(rows: DiffRow[], from: number, middle: number, to: number): void {
  let next = middle;
  for (let index = from; index < middle && next < to; index++) {
    for (let other = next; other < to; other++) {
      const before = rows[index];
      const after = rows[other];
      if (!before || !after) continue;
      const marks = wordMarks(before.text, after.text);
      // A moved line has no changed words and must not be paired.
      if (marks.likeness < ALIKE || before.text === after.text) continue;
      rows[index] = { ...before, marks: marks.old };
      rows[other] = { ...after, marks: marks.new };
      next = other + 1;
      break;
    }
  }
}

export interface SplitRow {
  readonly key: string;
  readonly gap?: string;
  readonly left?: DiffRow;
  readonly right?: DiffRow;
}

/** The rows side by side: removed lines face the added lines that replace them. */
export function splitRows(rows: readonly DiffRow[]): SplitRow[] {
  const split: SplitRow[] = [];
  let at = 0;
  for (let row = rows[at]; row; row = rows[at]) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed, 'added');
    if (removed + added === 0) {
      split.push(
        row.kind === 'gap' ? { key: keyOf(row), gap: row.text } : { key: keyOf(row), left: row, right: row },
      );
      at += 1;
      continue;
    }
    for (let index = 0; index < Math.max(removed, added); index++) {
      const left = index < removed ? rows[at + index] : undefined;
      const right = index < added ? rows[at + removed + index] : undefined;
      const key = keyOf(left ?? right ?? row);
      split.push({ key, ...(left ? { left } : {}), ...(right ? { right } : {}) });
    }
    at += removed + added;
  }
  return split;
}

export function keyOf(row: DiffRow): string {
  return `${row.kind}-${row.old ?? ''}-${row.new ?? row.text}`;
}

/** Both versions, as far as the hunks contain them, for syntax highlighting; `rowLines` maps rows to their lines. */
export function versionsOf(rows: readonly DiffRow[]): { before: string; after: string } {
  const of = (kind: DiffRow['kind']) =>
    rows
      .filter((row) => row.kind === 'same' || row.kind === kind)
      .map(({ text }) => text)
      .join('\n');
  return { before: of('removed'), after: of('added') };
}

/** Maps each row to its line in the version that it shows. */
export function rowLines(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, number> {
  const lines = new Map<DiffRow, number>();
  let before = 0;
  let after = 0;
  for (const row of rows) {
    if (row.kind === 'gap') continue;
    lines.set(row, row.kind === 'removed' ? before : after);
    if (row.kind !== 'added') before += 1;
    if (row.kind !== 'removed') after += 1;
  }
  return lines;
}
