/** A line of a search result, shortened around the first match. Pure. */
import type { SearchHit } from '@tugdeck/protocol/files/messages';

const BEFORE = 60;
const LONGEST = 300;
const MAX_MARKS = 20;

export function hitLine(
  path: string,
  line: number,
  text: string,
  marks: readonly (readonly [number, number])[],
): SearchHit {
  const column = marks[0]?.[0] ?? 0;
  const from = column > BEFORE && text.length > LONGEST ? column - BEFORE : 0;
  const to = Math.min(text.length, from + LONGEST);
  const at = marks
    .slice(0, MAX_MARKS)
    .map(([start, end]): [number, number] => [start - from, Math.min(end, to) - from])
    .filter(([start]) => start < to - from);
  return { path, line, column, text: text.slice(from, to), at };
}
