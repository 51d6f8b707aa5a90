/**
 * Fuzzy matching of typed text against names: files, commands, sessions. Pure. Letters must occur in order; runs,
 * word starts and the last path segment score higher, so that `apt` finds `src/app.ts` early.
 */
export interface Match {
  /** Higher is better. */
  readonly score: number;
  /** Matching positions in the text, for highlighting. */
  readonly at: readonly number[];
}

/** Score of a letter that follows the previous match, starts a word, or is in the last path segment. */
export const WEIGHTS = { run: 8, word: 10, lastPart: 4, exact: 60 } as const;
const { run: RUN, word: WORD, lastPart: LAST_PART, exact: EXACT } = WEIGHTS;

/** Undefined if it does not match; an empty query matches everything. */
export function fuzzyMatch(query: string, text: string): Match | undefined {
  const wanted = wantedOf(query);
  if (wanted === '') return { score: 0, at: [] };
  const at: number[] = [];
  const score = fuzzyScore(wanted, text.toLowerCase(), text, at);
  return score === undefined ? undefined : { score, at };
}

export function wantedOf(query: string): string {
  return query.toLowerCase().replace(/\s+/g, '');
}

// Reused buffers for letter positions, because this runs for every name on every key press.
const ends: number[] = [];
const beginnings: number[] = [];

/**
 * `wanted` and `lower` are lower case. Fills `at`, if given, with the positions. `starts` has a bit for each of the
 * first letters that may start a word; the others are not searched.
 */
export function fuzzyScore(
  wanted: string,
  lower: string,
  text: string,
  at?: number[],
  starts = -1,
  lastPart = lastPartOf(text),
): number | undefined {
  const length = wanted.length;
  if (length > lower.length) return undefined;
  if (lower.includes(wanted)) {
    const whole = lower.lastIndexOf(wanted);
    for (let index = 0; index < length; index++) ends[index] = whole + index;
    return chosen(ends, scoreOf(ends, wanted, text, lower, lastPart), length, at);
  }
  if (!fromEnd(wanted, lower)) return undefined;
  const late = scoreOf(ends, wanted, text, lower, lastPart);
  const early = atWordStarts(wanted, lower, text, starts)
    ? scoreOf(beginnings, wanted, text, lower, lastPart)
    : -Infinity;
  return late >= early ? chosen(ends, late, length, at) : chosen(beginnings, early, length, at);
}

function chosen(places: readonly number[], score: number, length: number, at: number[] | undefined): number {
  if (at) for (let index = 0; index < length; index++) at[index] = places[index] ?? 0;
  return score;
}

function scoreOf(
  at: readonly number[],
  wanted: string,
  text: string,
  lower: string,
  lastPart: number,
): number {
  let score = -text.length / 8;
  let before = -2;
  for (let index = 0; index < wanted.length; index++) {
    const place = at[index] ?? 0;
    if (before === place - 1) score += RUN;
    if (startsWord(text, place)) score += WORD;
    if (place >= lastPart) score += LAST_PART;
    before = place;
  }
  const isExact = lower.length - lastPart === wanted.length ? lower.endsWith(wanted) : lower === wanted;
  return isExact ? score + EXACT : score;
}

/** Best first; ties keep their order. */
export function fuzzySort<T>(
  query: string,
  items: Iterable<T>,
  nameOf: (item: T) => string,
): (T & { readonly match: Match })[] {
  const found: (T & { match: Match })[] = [];
  for (const item of items) {
    const match = fuzzyMatch(query, nameOf(item));
    if (match) found.push({ ...item, match });
  }
  return found.sort((a, b) => b.match.score - a.match.score);
}

/**
 * Each letter as late as possible, because people type the last path segment. Letter by letter, because `lastIndexOf`
 * is slower.
 */
function fromEnd(wanted: string, lower: string): boolean {
  let from = lower.length;
  for (let index = wanted.length - 1; index >= 0; index--) {
    const letter = wanted.charCodeAt(index);
    do from -= 1;
    while (from >= 0 && lower.charCodeAt(from) !== letter);
    if (from < 0) return false;
    ends[index] = from;
  }
  return true;
}

/** Each letter at the next word start, otherwise at its next position. */
function atWordStarts(wanted: string, lower: string, text: string, starts: number): boolean {
  let from = 0;
  for (let index = 0; index < wanted.length; index++) {
    const letter = wanted[index] ?? '';
    const next = lower.indexOf(letter, from);
    if (next < 0) return false;
    let place = index >= 32 || starts & (1 << index) ? next : -1;
    while (place >= 0 && !startsWord(text, place)) place = lower.indexOf(letter, place + 1);
    beginnings[index] = place < 0 ? next : place;
    from = (place < 0 ? next : place) + 1;
  }
  return true;
}

/** Start of the last path segment; a trailing slash is part of it. */
export function lastPartOf(path: string): number {
  return path.lastIndexOf('/', path.length - 2) + 1;
}

export function startsWord(text: string, place: number): boolean {
  return place === 0 || isWordStart(text.charCodeAt(place - 1), text.charCodeAt(place));
}

export function isWordStart(before: number, letter: number): boolean {
  return isSeparator(before) || (isSmall(before) && isCapital(letter));
}

// By character code, because this runs for every letter of every name.
function isSeparator(code: number): boolean {
  switch (code) {
    case 0x2f: // /
    case 0x5c: // \
    case 0x2e: // .
    case 0x5f: // _
    case 0x3a: // :
    case 0x2d: // -
    case 0x20:
    case 0xa0:
      return true;
    default:
      return code >= 0x09 && code <= 0x0d;
  }
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}
