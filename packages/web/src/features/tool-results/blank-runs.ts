/**
 * Replaces runs of blanks with a count: many empty lines or spaces would push content out of sight. Pure; for texts
 * in requests, after hidden characters were escaped.
 */
import { plural } from '../../kit/format.ts';

/** Text, or a placeholder for a run of blanks. */
export interface BlankPiece {
  readonly text: string;
  readonly isRun: boolean;
}

/** Three empty lines or eighty blanks: more than any layout needs. */
const RUNS = /(?<![^\n])(?:[^\S\n]*\n){3,}|[^\S\n]{80,}/g;

export function blankPieces(text: string): BlankPiece[] {
  const pieces: BlankPiece[] = [];
  let at = 0;
  for (const match of text.matchAll(RUNS)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isRun: false });
    const lines = match[0].split('\n').length - 1;
    const label = lines > 0 ? plural(lines, 'blank line') : plural(match[0].length, 'blank');
    pieces.push({ text: label, isRun: true });
    if (lines > 0) pieces.push({ text: '\n', isRun: false });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isRun: false });
  return pieces;
}

export function blankText(text: string): string {
  return blankPieces(text)
    .map((piece) => (piece.isRun ? `⟨${piece.text}⟩` : piece.text))
    .join('');
}
