/** Splits git's NUL-separated output into records of `fields` fields; drops an incomplete last one. */
export function records(text: string, fields: number): string[][] {
  const parts = text.split('\0');
  const found: string[][] = [];
  for (let at = 0; at + fields <= parts.length; at += fields) found.push(parts.slice(at, at + fields));
  return found;
}
