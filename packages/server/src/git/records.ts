/** What git printed with a NUL after each field, as records of so many fields; a torn one at the end is left out. */
export function records(text: string, fields: number): string[][] {
  const parts = text.split('\0');
  const found: string[][] = [];
  for (let at = 0; at + fields <= parts.length; at += fields) found.push(parts.slice(at, at + fields));
  return found;
}
