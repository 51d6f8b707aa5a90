/** Maps comments to diff lines, and quotes lines. Pure. */
import type { ReviewComment } from '@tugdeck/protocol/review/review-messages';
import type { DiffRow } from '../../features/diff/diff-rows.ts';

export interface LinePlace {
  readonly side: 'new' | 'old';
  readonly line: number;
}

/** A removed line is identified by its old number, any other by its new one. */
export function placeOf(row: DiffRow): LinePlace | undefined {
  if (row.kind === 'removed') return row.old === undefined ? undefined : { side: 'old', line: row.old };
  return row.new === undefined ? undefined : { side: 'new', line: row.new };
}

export function isAt(comment: ReviewComment, path: string, row: DiffRow): boolean {
  const place = placeOf(row);
  return comment.path === path && comment.side === place?.side && comment.line === place.line;
}

/** Comments whose line is in no shown hunk; shown above the file. */
export function strayComments(
  comments: readonly ReviewComment[],
  path: string,
  rows: readonly DiffRow[],
): readonly ReviewComment[] {
  return comments.filter((one) => one.path === path && !rows.some((row) => isAt(one, path, row)));
}
