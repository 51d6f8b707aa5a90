/** Replacements of parts of a text. Pure. */

export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Of two insertions at one position, the first one comes first. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices.map((splice, index) => ({ ...splice, index }));
  ordered.sort((a, b) => b.start - a.start || b.end - a.end || b.index - a.index);
  return ordered.reduce(
    (result, { start, end, text: fresh }) => result.slice(0, start) + fresh + result.slice(end),
    text,
  );
}

export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Removes a part, and its whole line if nothing else is on it. */
export function removal(text: string, start: number, end: number): Splice {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /[ \t]*(?:\r?\n|$)/y;
  rest.lastIndex = end;
  const after = rest.exec(text)?.[0];
  const isAlone = text.slice(lineStart, start).trim() === '' && after !== undefined;
  return isAlone ? { start: lineStart, end: end + after.length, text: '' } : { start, end, text: '' };
}
