/**
 * Many names to be found by a few letters, fast enough to ask at every key (quick open: 50,000 files). The same scores
 * as `fuzzy.ts`; what makes it quick is that most names are refused by the kinds of letters they have, before any is looked
 * at, and that a longer query looks only at what the shorter one left. Pure: whoever runs the search decides when to pause.
 */
import { fuzzyMatch, fuzzyScore, isWordStart, lastPartOf, WEIGHTS, wantedOf } from './fuzzy.ts';

export interface FuzzyRow {
  readonly path: string;
  /** One bit per kind of letter in it; of those that begin a word, and those of its last part. */
  readonly letters: number;
  readonly starts: number;
  readonly last: number;
  /** How long its last part is. */
  readonly lastLength: number;
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
const SLASH = 0x2f;

export function fuzzyRow(path: string): FuzzyRow {
  const lower = path.toLowerCase();
  const lastPart = lastPartOf(path);
  let [letters, starts, last, depth] = [0, 0, 0, 0];
  // One walk with the letter before at hand: this is done for every file when a project is opened.
  let before = SLASH;
  for (let at = 0; at < lower.length; at++) {
    const bit = bitOf(lower.charCodeAt(at));
    const letter = path.charCodeAt(at);
    letters |= bit;
    if (isWordStart(before, letter)) starts |= bit;
    if (at >= lastPart) last |= bit;
    else if (letter === SLASH) depth += 1;
    before = letter;
  }
  return { path, lower, letters, starts, last, lastLength: path.length - lastPart, depth };
}

export interface FuzzyAnswer {
  readonly found: readonly FuzzyFound[];
  /** All that matched, and some that was not looked at closely: enough for a query that goes on from this one. */
  readonly matching: readonly FuzzyRow[];
}

/** The best `most` of the rows. Pauses now and then; whoever runs it may go on later or stop. */
export function* searchRows(
  rows: readonly FuzzyRow[],
  query: string,
  most: number,
): Generator<undefined, FuzzyAnswer> {
  const wanted = wantedOf(query);
  const bits = Array.from({ length: wanted.length }, (_, at) => bitOf(wanted.charCodeAt(at)));
  const search: Search = { wanted, bits, letters: bits.reduce((all, bit) => all | bit, 0), most };
  const best: Scored[] = [];
  const matching: FuzzyRow[] = [];
  for (let from = 0; from < rows.length; from += STRIDE) {
    if (from > 0) yield;
    searchSome(rows, from, Math.min(rows.length, from + STRIDE), search, best, matching);
  }
  const found = best.map(({ row, score }) => ({
    path: row.path,
    score,
    at: fuzzyMatch(wanted, row.path)?.at ?? [],
  }));
  return { found, matching };
}

interface Search {
  readonly wanted: string;
  readonly bits: readonly number[];
  readonly letters: number;
  readonly most: number;
}

interface Scored {
  readonly row: FuzzyRow;
  readonly score: number;
}

/** Apart from what pauses: only so is it made fast by the machine. */
function searchSome(
  rows: readonly FuzzyRow[],
  from: number,
  to: number,
  { wanted, bits, letters, most }: Search,
  best: Scored[],
  matching: FuzzyRow[],
): void {
  for (let index = from; index < to; index++) {
    const row = rows[index];
    if (!row || (row.letters & letters) !== letters) continue;
    const last = best[most - 1];
    if (last && highestScore(row, bits) < last.score) {
      matching.push(row);
      continue;
    }
    const score = scoreIn(row, wanted, bits);
    if (score === undefined) continue;
    matching.push(row);
    if (last && !isBetter(score, row, last.score, last.row)) continue;
    let place = Math.min(best.length, most - 1);
    for (let before = best[place - 1]; before && isBetter(score, row, before.score, before.row); ) {
      best[place] = before;
      place -= 1;
      before = best[place - 1];
    }
    best[place] = { row, score };
  }
}

function scoreIn(row: FuzzyRow, wanted: string, bits: readonly number[]): number | undefined {
  if (wanted === '') return 0;
  const { path, lower, lastLength } = row;
  return fuzzyScore(wanted, lower, path, undefined, startsOf(row, bits), path.length - lastLength);
}

function isBetter(score: number, row: FuzzyRow, otherScore: number, other: FuzzyRow): boolean {
  if (score !== otherScore) return score > otherScore;
  if (row.depth !== other.depth) return row.depth < other.depth;
  return row.path < other.path;
}

/** No way of finding these letters in the row can score higher. */
function highestScore(row: FuzzyRow, bits: readonly number[]): number {
  let score = (bits.length - 1) * WEIGHTS.run - row.path.length / 8;
  for (const bit of bits) {
    if (row.starts & bit) score += WEIGHTS.word;
    if (row.last & bit) score += WEIGHTS.lastPart;
  }
  const isMaybeExact = row.lastLength === bits.length || row.path.length === bits.length;
  return isMaybeExact ? score + WEIGHTS.exact : score;
}

/** One bit for each wanted letter, by its place in the query: whether it begins a word anywhere in the row. */
function startsOf(row: FuzzyRow, bits: readonly number[]): number {
  let starts = 0;
  for (let index = 0; index < bits.length && index < 32; index++) {
    if (row.starts & (bits[index] ?? 0)) starts |= 1 << index;
  }
  return starts;
}

function bitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return 1 << (code - 0x61);
  if (code >= 0x30 && code <= 0x39) return 1 << (26 + (code & 1));
  return 1 << (28 + (code & 3));
}
