/** The smallest replacement between two texts, so that cursor, scroll and undo stay. Pure. */
export function smallestChange(before: string, after: string) {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  // Never between the two characters of a line end or of a surrogate pair.
  if (isSplit(before, from) || isSplit(after, from)) from -= 1;
  if (end > 0 && (isSplit(before, before.length - end) || isSplit(after, after.length - end))) end -= 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function isSplit(text: string, at: number): boolean {
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/**
 * Detects the line ending of a file, so that a save changes only what was typed. In mixed files only `\n` counts
 * and the rest stays in the text. Pure.
 */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(?:^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';
}
