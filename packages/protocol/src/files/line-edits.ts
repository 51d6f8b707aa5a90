/**
 * The difference of two texts by lines: the greedy shortest-edit search. Texts that differ too much are one removal and
 * one addition. Pure.
 */
export type LineEdit = readonly [mark: ' ' | '-' | '+', line: string];

export const NO_NEWLINE = '\\ No newline at end of file';
/** Limits the memory and time of the search, which keeps one row per step. */
const MAX_EDITS = 2000;

/** Lines with their line feeds. Within a run of changes, deletions come first. */
export function lineEdits(before: string, after: string): LineEdit[] {
  return betweenEnds(linesOf(before), linesOf(after));
}

/** Lines including their line feeds, so that a last line without one differs. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => `${line}\n`);
  return last === '' ? whole : [...whole, last];
}

function betweenEnds(before: readonly string[], after: readonly string[]): LineEdit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (line: string): LineEdit => [' ', line];
  return [
    ...before.slice(0, head).map(same),
    ...edits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function edits(before: readonly string[], after: readonly string[]): LineEdit[] {
  const rows = search(before, after);
  if (!rows)
    return [...before.map((line): LineEdit => ['-', line]), ...after.map((line): LineEdit => ['+', line])];
  const ops: LineEdit[] = [];
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
function deletionsFirst(ops: readonly LineEdit[]): LineEdit[] {
  const sorted: LineEdit[] = [];
  let added: LineEdit[] = [];
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
