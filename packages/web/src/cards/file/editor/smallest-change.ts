/** The least that must be replaced, so that cursor, scroll and undo stay where they were. Pure. */
/** What differs between the equal beginnings and ends of two texts. */
export function smallestChange(before: string, after: string) {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  // Neither between the two signs of one line end nor inside of a character.
  if (isSplit(before, from) || isSplit(after, from)) from -= 1;
  if (end > 0 && (isSplit(before, before.length - end) || isSplit(after, after.length - end))) end -= 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function isSplit(text: string, at: number): boolean {
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
