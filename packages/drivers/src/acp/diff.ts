/**
 * Computes hunks from old and new text, because ACP agents send whole texts instead of patches. Pure. Uses the greedy
 * shortest-edit search; texts that differ too much become one hunk.
 */
import type { FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';

const CONTEXT = 3;
/** Limits the memory and time of the search, which keeps one row per step. */
const MAX_EDITS = 2000;
const NO_NEWLINE = '\\ No newline at end of file';

type Op = readonly [' ' | '-' | '+', string];

export function textDiff(path: string, oldText: string | null | undefined, newText: string): FileDiff {
  return { path, hunks: hunksOf(operations(linesOf(oldText ?? ''), linesOf(newText))) };
}

/** Lines including their line feeds, so that a last line without one differs. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => `${line}\n`);
  return last === '' ? whole : [...whole, last];
}

function operations(before: readonly string[], after: readonly string[]): Op[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (line: string): Op => [' ', line];
  return [
    ...before.slice(0, head).map(same),
    ...edits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function edits(before: readonly string[], after: readonly string[]): Op[] {
  const rows = search(before, after);
  if (!rows) return [...before.map((line): Op => ['-', line]), ...after.map((line): Op => ['+', line])];
  const ops: Op[] = [];
  let x = before.length;
  let y = after.length;
  for (let d = rows.length - 1; d > 0; d--) {
    const row = rows[d - 1] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -d || (k !== d && reach(row, k - 1) < reach(row, k + 1));
    const fromX = reach(row, down ? k + 1 : k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0 && before[x - 1] === after[y - 1]) {
      ops.push([' ', before[--x] ?? '']);
      y--;
    }
    if (down) ops.push(['+', after[--y] ?? '']);
    else ops.push(['-', before[--x] ?? '']);
  }
  while (x > 0) ops.push([' ', before[--x] ?? '']);
  return deletionsFirst(ops.reverse());
}

function reach(row: ReadonlyMap<number, number>, k: number): number {
  return row.get(k) ?? -1;
}

/** The furthest reaching points for each number of edits; undefined if there are too many. */
function search(before: readonly string[], after: readonly string[]): Map<number, number>[] | undefined {
  const rows: Map<number, number>[] = [];
  let row = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(before.length + after.length, MAX_EDITS); d++) {
    const next = new Map<number, number>();
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach(row, k - 1) < reach(row, k + 1));
      let x = down ? reach(row, k + 1) : reach(row, k - 1) + 1;
      let y = x - k;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      next.set(k, x);
      if (x >= before.length && y >= after.length) return [...rows, next];
    }
    rows.push(next);
    row = next;
  }
  return undefined;
}

/** Within a run of changes, deletions come before insertions, as in other tools. */
function deletionsFirst(ops: readonly Op[]): Op[] {
  const sorted: Op[] = [];
  let added: Op[] = [];
  for (const op of ops) {
    if (op[0] === '+') added.push(op);
    else {
      if (op[0] === ' ') {
        sorted.push(...added);
        added = [];
      }
      sorted.push(op);
    }
  }
  return [...sorted, ...added];
}

function hunksOf(ops: readonly Op[]): Hunk[] {
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
