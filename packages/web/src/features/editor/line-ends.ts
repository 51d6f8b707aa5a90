/**
 * Detects the line ending of a file, so that a save changes only what was typed. In mixed files only `\n` counts
 * and the rest stays in the text. Pure.
 */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(?:^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';
}
