/**
 * Fuzzy search over many names, fast enough to run on every key press (quick open: 50,000 files). Scores as
 * `fuzzy.ts`. Names are stored in numeric blocks, because looking up strings takes longer than scoring; most are
 * rejected by a bit mask of their letters; a longer query only checks the matches of the shorter one. Pure: the
 * caller decides when to pause.
 */
import { fuzzyMatch, isWordStart, lastPartOf, WEIGHTS, wantedOf } from './fuzzy.ts';

/** Names as numbers: the letters of row `n` are at `begins[n]` to `begins[n + 1]`. */
export interface FuzzyBlock {
  readonly paths: readonly string[];
  readonly begins: Uint32Array;
  /** Lower-case letters, and whether each starts a word. */
  readonly codes: Uint16Array;
  readonly isStart: Uint8Array;
  /** Bit masks of letters: all, those that start a word, those of the last path segment. */
  readonly letters: Int32Array;
  readonly starts: Int32Array;
  readonly last: Int32Array;
  /** Start of the last path segment, length of the name, number of folders above it. */
  readonly lastParts: Uint16Array;
  readonly lengths: Uint16Array;
  readonly depths: Uint16Array;
}

/** Rows of a block: those in `rows`, or all. */
export interface FuzzyRows {
  readonly block: FuzzyBlock;
  readonly rows?: Uint16Array;
}

export interface FuzzyHit {
  readonly path: string;
  readonly score: number;
  readonly at: readonly number[];
}

export interface FuzzyResult {
  readonly found: readonly FuzzyHit[];
  /** All matches, plus some that were not scored: a superset for a longer query. */
  readonly matching: readonly FuzzyRows[];
}

/** Names between two pauses. */
export const BLOCK = 500;
const SLASH = 0x2f;
/** Only this many letters of a longer name are searched. */
const MAX_LETTERS = 8_000;
const NOT_ASCII = /[\u0080-\uffff]/;

/** At most `BLOCK` names. */
export function fuzzyBlock(paths: readonly string[]): FuzzyBlock {
  const count = paths.length;
  const lowers = paths.map((path) =>
    (NOT_ASCII.test(path) ? path.toLowerCase() : path).slice(0, MAX_LETTERS),
  );
  const units = lowers.reduce((sum, lower) => sum + lower.length, 0);
  const block = {
    paths,
    begins: new Uint32Array(count + 1),
    codes: new Uint16Array(units),
    isStart: new Uint8Array(units),
    letters: new Int32Array(count),
    starts: new Int32Array(count),
    last: new Int32Array(count),
    lastParts: new Uint16Array(count),
    lengths: new Uint16Array(count),
    depths: new Uint16Array(count),
  };
  for (let row = 0; row < count; row++) fillRow(block, row, lowers[row] ?? '');
  return block;
}

function fillRow(block: FuzzyBlock, row: number, lower: string): void {
  const path = block.paths[row] ?? '';
  const begin = block.begins[row] ?? 0;
  const lastPart = lastPartOf(path);
  let [letters, starts, last, depth] = [0, 0, 0, 0];
  let before = SLASH;
  for (let at = 0; at < lower.length; at++) {
    const unit = lower.charCodeAt(at);
    const code = unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
    const letter = path.charCodeAt(at);
    const bit = bitOf(code);
    letters |= bit;
    block.codes[begin + at] = code;
    if (isWordStart(before, letter)) {
      starts |= bit;
      block.isStart[begin + at] = 1;
    }
    if (at >= lastPart) last |= bit;
    else if (letter === SLASH) depth += 1;
    before = letter;
  }
  block.begins[row + 1] = begin + lower.length;
  block.letters[row] = letters;
  block.starts[row] = starts;
  block.last[row] = last;
  block.lastParts[row] = lastPart;
  block.lengths[row] = path.length;
  block.depths[row] = depth;
}

/** Yields after each block; returns the best `limit` rows. */
export function* searchBlocks(
  all: readonly FuzzyRows[],
  query: string,
  limit: number,
): Generator<undefined, FuzzyResult> {
  const search = searchFor(query, limit);
  const matching: FuzzyRows[] = [];
  for (const some of all) {
    const rows = searchRows(some, search);
    if (rows.length > 0) matching.push({ block: some.block, rows });
    yield;
  }
  const found = search.best.map(({ path, score }) => ({
    path,
    score,
    at: fuzzyMatch(query, path)?.at ?? [],
  }));
  return { found, matching };
}

interface Search {
  readonly wanted: Uint16Array;
  readonly bits: Int32Array;
  readonly letters: number;
  readonly limit: number;
  readonly best: Scored[];
  /** Letter positions found by each strategy. */
  readonly ends: Uint32Array;
  readonly beginnings: Uint32Array;
}

interface Scored {
  readonly path: string;
  readonly depth: number;
  readonly score: number;
}

function searchFor(query: string, limit: number): Search {
  const text = wantedOf(query);
  const wanted = Uint16Array.from(text, (_, at) => text.charCodeAt(at));
  const bits = Int32Array.from(wanted, bitOf);
  return {
    wanted,
    bits,
    letters: bits.reduce((sum, bit) => sum | bit, 0),
    limit,
    best: [],
    ends: new Uint32Array(wanted.length),
    beginnings: new Uint32Array(wanted.length),
  };
}

const matched = new Uint16Array(BLOCK);

/** Separate from the generator, so that the engine can optimize it. Returns the matching rows. */
function searchRows({ block, rows }: FuzzyRows, search: Search): Uint16Array {
  const { letters, limit, best } = search;
  const count = rows ? rows.length : block.paths.length;
  let found = 0;
  for (let index = 0; index < count; index++) {
    const row = rows ? (rows[index] ?? 0) : index;
    if (((block.letters[row] ?? 0) & letters) !== letters) continue;
    const last = best.length === limit ? best[limit - 1] : undefined;
    if (last && highestScore(block, row, search) < last.score) {
      matched[found++] = row;
      continue;
    }
    const score = scoreOf(block, row, search);
    if (score === undefined) continue;
    matched[found++] = row;
    if (last && score < last.score) continue;
    insertBest(best, limit, { path: block.paths[row] ?? '', depth: block.depths[row] ?? 0, score });
  }
  return matched.slice(0, found);
}

function insertBest(best: Scored[], limit: number, one: Scored): void {
  const last = best[limit - 1];
  if (last && !isBetter(one, last)) return;
  let place = Math.min(best.length, limit - 1);
  for (let before = best[place - 1]; before && isBetter(one, before); before = best[place - 1]) {
    best[place] = before;
    place -= 1;
  }
  best[place] = one;
}

function isBetter(one: Scored, other: Scored): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.depth !== other.depth) return one.depth < other.depth;
  return one.path < other.path;
}

/** Upper bound of the row's score. */
function highestScore(block: FuzzyBlock, row: number, { bits }: Search): number {
  const length = block.lengths[row] ?? 0;
  const starts = block.starts[row] ?? 0;
  const last = block.last[row] ?? 0;
  let score = (bits.length - 1) * WEIGHTS.run - length / 8;
  for (let index = 0; index < bits.length; index++) {
    const bit = bits[index] ?? 0;
    if (starts & bit) score += WEIGHTS.word;
    if (last & bit) score += WEIGHTS.lastPart;
  }
  const isMaybeExact = length - (block.lastParts[row] ?? 0) === bits.length || length === bits.length;
  return isMaybeExact ? score + WEIGHTS.exact : score;
}

/** Like `fuzzyScore`, on numbers. */
function scoreOf(block: FuzzyBlock, row: number, search: Search): number | undefined {
  const { wanted, ends, beginnings } = search;
  if (wanted.length === 0) return 0;
  if (!fromEnd(block, row, wanted, ends)) return undefined;
  if (contiguous(block, row, wanted, ends)) return scoreAt(block, row, ends);
  const late = scoreAt(block, row, ends);
  return atWordStarts(block, row, search) ? Math.max(late, scoreAt(block, row, beginnings)) : late;
}

function scoreAt(block: FuzzyBlock, row: number, places: Uint32Array): number {
  const { isStart } = block;
  const begin = block.begins[row] ?? 0;
  const lastPart = begin + (block.lastParts[row] ?? 0);
  const count = places.length;
  const length = (block.begins[row + 1] ?? 0) - begin;
  let score = -(block.lengths[row] ?? 0) / 8;
  let before = -2;
  let isWhole = true;
  for (let index = 0; index < count; index++) {
    const place = places[index] ?? 0;
    if (before === place - 1) score += WEIGHTS.run;
    else if (index > 0) isWhole = false;
    if (isStart[place]) score += WEIGHTS.word;
    if (place >= lastPart) score += WEIGHTS.lastPart;
    before = place;
  }
  // Exact match of the name or its last segment; such a match is always found from the end.
  const isExact =
    isWhole && before === begin + length - 1 && (count === length || before - count + 1 === lastPart);
  return isExact ? score + WEIGHTS.exact : score;
}

/** Each letter as late as possible, because people type the last path segment. */
function fromEnd(
  { codes, begins }: FuzzyBlock,
  row: number,
  wanted: Uint16Array,
  ends: Uint32Array,
): boolean {
  const begin = begins[row] ?? 0;
  let from = begins[row + 1] ?? 0;
  for (let index = wanted.length - 1; index >= 0; index--) {
    const code = wanted[index];
    do from -= 1;
    while (from >= begin && codes[from] !== code);
    if (from < begin) return false;
    ends[index] = from;
  }
  return true;
}

/** The last contiguous match; it cannot start after the first letter found from the end. */
function contiguous(
  { codes, begins }: FuzzyBlock,
  row: number,
  wanted: Uint16Array,
  ends: Uint32Array,
): boolean {
  const begin = begins[row] ?? 0;
  const count = wanted.length;
  const first = wanted[0];
  for (let from = ends[0] ?? 0; from >= begin; from--) {
    if (codes[from] !== first) continue;
    let same = 1;
    while (same < count && codes[from + same] === wanted[same]) same += 1;
    if (same < count) continue;
    for (let index = 0; index < count; index++) ends[index] = from + index;
    return true;
  }
  return false;
}

/** Each letter at the next word start, otherwise at its next position. */
function atWordStarts(block: FuzzyBlock, row: number, { wanted, bits, beginnings }: Search): boolean {
  const { codes, isStart } = block;
  const starts = block.starts[row] ?? 0;
  const end = block.begins[row + 1] ?? 0;
  let from = block.begins[row] ?? 0;
  for (let index = 0; index < wanted.length; index++) {
    const code = wanted[index];
    while (from < end && codes[from] !== code) from += 1;
    if (from === end) return false;
    let place = from;
    if (starts & (bits[index] ?? 0)) {
      while (place < end && (codes[place] !== code || !isStart[place])) place += 1;
    }
    if (place === end) place = from;
    beginnings[index] = place;
    from = place + 1;
  }
  return true;
}

function bitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return 1 << (code - 0x61);
  if (code >= 0x30 && code <= 0x39) return 1 << (26 + (code & 1));
  return 1 << (28 + (code & 3));
}
