/** Splits text into lines, for views that show ten of them. Pure. */
export const CUT = 10;

/** Without the last line break, which would render an empty line. */
export function splitLines(text: string): string[] {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  return whole === '' ? [] : whole.split('\n');
}

export function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).slice(-300);
}

export function lastLines(text: string, limit: number): string {
  const trimmed = text.trimEnd();
  let at = trimmed.length;
  for (let count = 0; count < limit && at > 0; count++) at = trimmed.lastIndexOf('\n', at - 1);
  return trimmed.slice(Math.max(0, at + 1));
}
