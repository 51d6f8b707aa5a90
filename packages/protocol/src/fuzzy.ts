/**
 * One way to match what was typed against names: files, commands, sessions. Pure. Letters must occur in order;
 * runs, beginnings of words and the last part of a path count more, so that `apt` finds `src/app.ts` early.
 */
export interface Match {
  /** Higher is better. */
  readonly score: number;
  /** Places in the text that matched, for drawing. */
  readonly at: readonly number[];
}

const SEPARATOR = /[\s/\\._:-]/;
const RUN = 8;
const WORD = 10;
const LAST_PART = 4;
const EXACT = 60;

/** Nothing where it does not match; everything matches an empty query. */
export function fuzzyMatch(query: string, text: string): Match | undefined {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return { score: 0, at: [] };
  const lower = text.toLowerCase();
  if (wanted.length > lower.length) return undefined;
  const whole = lower.lastIndexOf(wanted);
  const ways =
    whole < 0
      ? [fromEnd(wanted, lower), byWords(wanted, lower, text)]
      : [Array.from(wanted, (_, index) => whole + index)];
  let best: Match | undefined;
  for (const at of ways) {
    if (!at) continue;
    const score = scoreOf(at, wanted, text, lower);
    if (!best || score > best.score) best = { score, at };
  }
  return best;
}

function scoreOf(at: readonly number[], wanted: string, text: string, lower: string): number {
  const lastPart = text.lastIndexOf('/', text.length - 2) + 1;
  let score = -text.length / 8;
  for (const [index, place] of at.entries()) {
    if (index > 0 && at[index - 1] === place - 1) score += RUN;
    if (startsWord(text, place)) score += WORD;
    if (place >= lastPart) score += LAST_PART;
  }
  return lower === wanted || lower.slice(lastPart) === wanted ? score + EXACT : score;
}

/** The best first; equal ones as they came. */
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

/** Each letter as late as it can be: the last part of a path is what people type. */
function fromEnd(wanted: string, lower: string): number[] | undefined {
  const at: number[] = [];
  let from = lower.length;
  for (let index = wanted.length - 1; index >= 0; index--) {
    from = from <= 0 ? -1 : lower.lastIndexOf(wanted[index] ?? '', from - 1);
    if (from < 0) return undefined;
    at.unshift(from);
  }
  return at;
}

/** Each letter at the next beginning of a word, else at its next place. */
function byWords(wanted: string, lower: string, text: string): number[] | undefined {
  const at: number[] = [];
  let from = 0;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, from);
    if (next < 0) return undefined;
    let place = next;
    while (place >= 0 && !startsWord(text, place)) place = lower.indexOf(letter, place + 1);
    at.push(place < 0 ? next : place);
    from = (at.at(-1) ?? next) + 1;
  }
  return at;
}

function startsWord(text: string, place: number): boolean {
  if (place === 0) return true;
  const before = text[place - 1] ?? '';
  const here = text[place] ?? '';
  return SEPARATOR.test(before) || (/[a-z]/.test(before) && /[A-Z]/.test(here));
}
