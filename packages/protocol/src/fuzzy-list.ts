/**
 * Many names to be found by a few letters, fast enough to ask at every key (quick open: 50,000 files). The same scores
 * as `fuzzy.ts`; what makes it quick is that most names are refused by their letters alone, before any is looked at, and
 * that a longer query looks only at what the shorter one found. Pure: whoever runs the search decides when to pause.
 */
import { fuzzyMatch, fuzzyScore, highestScore, wantedOf } from './fuzzy.ts';

export interface FuzzyRow {
  readonly path: string;
  /** One bit per kind of letter in it. */
  readonly letters: number;
  readonly lower: string;
  readonly depth: number;
}

export interface FuzzyFound {
  readonly path: string;
  readonly score: number;
  readonly at: readonly number[];
}

/** Names between two pauses. */
const STRIDE = 500;

export function fuzzyRow(path: string): FuzzyRow {
  const lower = path.toLowerCase();
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1))
    depth += 1;
  return { path, lower, letters: lettersOf(lower), depth };
}

export interface FuzzyAnswer {
  readonly found: readonly FuzzyFound[];
  /** Everything that matched: enough to look at for a query that goes on from this one. */
  readonly matching: readonly FuzzyRow[];
}

/** The best `most` of the rows. Pauses now and then; whoever runs it may go on later or stop. */
export function* searchRows(
  rows: readonly FuzzyRow[],
  query: string,
  most: number,
): Generator<undefined, FuzzyAnswer> {
  const wanted = wantedOf(query);
  const letters = lettersOf(wanted);
  const best: { row: FuzzyRow; score: number }[] = [];
  const matching: FuzzyRow[] = [];
  for (let index = 0; index < rows.length; index++) {
    if (index % STRIDE === STRIDE - 1) yield;
    const row = rows[index];
    if (!row || (row.letters & letters) !== letters || !hasInOrder(row.lower, wanted)) continue;
    matching.push(row);
    const last = best[most - 1];
    if (last && highestScore(wanted, row.path.length) < last.score) continue;
    const score = wanted === '' ? 0 : fuzzyScore(wanted, row.lower, row.path);
    if (score === undefined || (last && !isBetter(score, row, last.score, last.row))) continue;
    let place = Math.min(best.length, most - 1);
    for (let before = best[place - 1]; before && isBetter(score, row, before.score, before.row); ) {
      best[place] = before;
      place -= 1;
      before = best[place - 1];
    }
    best[place] = { row, score };
  }
  const found = best.map(({ row, score }) => ({
    path: row.path,
    score,
    at: fuzzyMatch(wanted, row.path)?.at ?? [],
  }));
  return { found, matching };
}

function isBetter(score: number, row: FuzzyRow, otherScore: number, other: FuzzyRow): boolean {
  if (score !== otherScore) return score > otherScore;
  if (row.depth !== other.depth) return row.depth < other.depth;
  return row.path < other.path;
}

function hasInOrder(lower: string, wanted: string): boolean {
  let from = 0;
  for (let index = 0; index < wanted.length; index++) {
    from = lower.indexOf(wanted[index] ?? '', from) + 1;
    if (from === 0) return false;
  }
  return true;
}

function lettersOf(lower: string): number {
  let letters = 0;
  for (let index = 0; index < lower.length; index++) letters |= bitOf(lower.charCodeAt(index));
  return letters;
}

function bitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return 1 << (code - 0x61);
  if (code >= 0x30 && code <= 0x39) return 1 << (26 + (code & 1));
  return 1 << (28 + (code & 3));
}
