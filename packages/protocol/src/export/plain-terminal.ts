/** Terminal output as plain text: without overwritten lines and escape sequences. Pure. */
const ESC = '\u001b';
// CSI sequences, OSC strings up to BEL or ST, and two-character escapes.
export const ANSI_SEQUENCE = new RegExp(
  `${ESC}(?:\\[([0-9;:?]*)[ -/]*([@-~])|\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

export function plainTerminal(text: string): string {
  return withoutOverwritten(text).replace(ANSI_SEQUENCE, '');
}

/** Progress bars overwrite a line many times: only the last version counts. */
export function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1))
    .join('\n');
}
