/** Which comments stand at which line of a diff, and what is quoted of a line. Pure. */
import type { ReviewComment } from '@tugdeck/protocol/review/review-messages';
import type { DiffRow } from '../../diff/diff-rows.ts';

export interface LinePlace {
  readonly side: 'new' | 'old';
  readonly line: number;
}

/** A removed line is named by its old number, every other one by its new. */
export function placeOf(row: DiffRow): LinePlace | undefined {
  if (row.kind === 'removed') return row.old === undefined ? undefined : { side: 'old', line: row.old };
  return row.new === undefined ? undefined : { side: 'new', line: row.new };
}

export function isAt(comment: ReviewComment, path: string, row: DiffRow): boolean {
  const place = placeOf(row);
  return comment.path === path && comment.side === place?.side && comment.line === place.line;
}

/** Comments whose line is in none of the drawn hunks: shown above the file instead of being lost. */
export function strayComments(
  comments: readonly ReviewComment[],
  path: string,
  rows: readonly DiffRow[],
): readonly ReviewComment[] {
  return comments.filter((one) => one.path === path && !rows.some((row) => isAt(one, path, row)));
}
