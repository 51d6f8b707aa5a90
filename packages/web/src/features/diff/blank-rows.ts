/** Replaces runs of blank lines with a count in diffs of requests, because they push the rest out of sight. Pure. */
import { plural } from '../../kit/format.ts';
import type { DiffRow } from './diff-rows.ts';

const SHORTEST_RUN = 4;
const LABELS = { added: ' added', removed: ' removed', same: '' } as const;

export function withoutBlankRuns(rows: readonly DiffRow[]): DiffRow[] {
  const kept: DiffRow[] = [];
  let at = 0;
  for (let row = rows[at]; row; row = rows[at]) {
    let count = 0;
    while (isBlank(rows[at + count]) && rows[at + count]?.kind === row.kind) count += 1;
    if (count < SHORTEST_RUN || row.kind === 'gap') kept.push(...rows.slice(at, at + Math.max(1, count)));
    else kept.push({ ...row, kind: 'gap', text: `${plural(count, 'blank line')}${LABELS[row.kind]}` });
    at += Math.max(1, count);
  }
  return kept;
}

function isBlank(row: DiffRow | undefined): boolean {
  return row !== undefined && row.kind !== 'gap' && row.text.trim() === '';
}
