/** Merges two changes of one text if they affect different lines. Undefined if they touch. Pure. */
interface LineChange {
  /** Lines [from, to) of the base became `lines`. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const lines = base.split('\n');
  const [first, second] = [changeOf(lines, mine), changeOf(lines, theirs)].sort((a, b) => a.from - b.from);
  if (!first || !second || first.to >= second.from) return undefined;
  return [
    ...lines.slice(0, first.from),
    ...first.lines,
    ...lines.slice(first.to, second.from),
    ...second.lines,
    ...lines.slice(second.to),
  ].join('\n');
}

function changeOf(base: readonly string[], text: string): LineChange {
  const lines = text.split('\n');
  const most = Math.min(base.length, lines.length);
  let from = 0;
  while (from < most && base[from] === lines[from]) from += 1;
  let end = 0;
  while (end < most - from && base.at(-1 - end) === lines.at(-1 - end)) end += 1;
  return { from, to: base.length - end, lines: lines.slice(from, lines.length - end) };
}
