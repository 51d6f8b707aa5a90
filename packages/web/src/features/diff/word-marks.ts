/** Finds the words that differ between two versions of a line. Pure. */
export type Mark = readonly [from: number, to: number];

export interface WordMarks {
  readonly old: readonly Mark[];
  readonly new: readonly Mark[];
  /** Similarity of the two lines, 0 to 1. */
  readonly likeness: number;
}

const WORDS = /[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu;
/** Above this product of word counts, comparing would take too long. */
const MAX_PRODUCT = 40_000;
/** Lines with a longer average word are not split. */
const LONG_WORD = 40;

export function wordMarks(before: string, after: string): WordMarks {
  if (before.length * after.length > MAX_PRODUCT * LONG_WORD * LONG_WORD)
    return { old: [], new: [], likeness: 0 };
  const old = before.match(WORDS) ?? [];
  const fresh = after.match(WORDS) ?? [];
  if (old.length * fresh.length > MAX_PRODUCT) return { old: [], new: [], likeness: 0 };
  const { kept, size } = common(old, fresh);
  const inNew = new Set(kept.values());
  const longest = Math.max(before.trim().length, after.trim().length, 1);
  return {
    old: marksOf(old, (index) => kept.has(index)),
    new: marksOf(fresh, (index) => inNew.has(index)),
    likeness: size / longest,
  };
}

/** The longest common subsequence: old word index to new word index. */
function common(
  old: readonly string[],
  fresh: readonly string[],
): { kept: Map<number, number>; size: number } {
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const below = table[(i + 1) * width + j] ?? 0;
      const right = table[i * width + j + 1] ?? 0;
      const both = old[i] === fresh[j] ? (table[(i + 1) * width + j + 1] ?? 0) + (old[i]?.length ?? 0) : 0;
      table[i * width + j] = Math.max(below, right, both);
    }
  }
  const kept = new Map<number, number>();
  let size = 0;
  let i = 0;
  let j = 0;
  while (i < old.length && j < fresh.length) {
    const here = table[i * width + j] ?? 0;
    if (old[i] === fresh[j] && here === (table[(i + 1) * width + j + 1] ?? 0) + (old[i]?.length ?? 0)) {
      kept.set(i, j);
      size += old[i]?.trim().length ?? 0;
      i += 1;
      j += 1;
    } else if (here === (table[(i + 1) * width + j] ?? 0)) i += 1;
    else j += 1;
  }
  return { kept, size };
}

function marksOf(words: readonly string[], isKept: (index: number) => boolean): Mark[] {
  const marks: [number, number][] = [];
  let at = 0;
  words.forEach((word, index) => {
    const end = at + word.length;
    const last = marks.at(-1);
    if (!isKept(index)) {
      if (last?.[1] === at) last[1] = end;
      else marks.push([at, end]);
    }
    at = end;
  });
  return marks;
}
