/**
 * How lines end in a file, so that a save changes only what was typed. Where a file has both ways, only `\n` counts and
 * the rest stays in the text as it is. Pure.
 */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(?:^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';
}
