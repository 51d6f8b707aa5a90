/**
 * Syntax highlighting as runs: pairs of length and kind. Small to send and to cache, and without the text, so
 * highlighting cannot change what is shown. Pure.
 */
export type Runs = readonly number[];

export interface Piece {
  readonly text: string;
  readonly kind: number;
}

export interface ColoredToken {
  readonly offset: number;
  readonly length: number;
  readonly kind: number;
}

/** Tokens in order; text between them is plain. */
export function runsOf(tokens: Iterable<ColoredToken>, length: number): Runs {
  const runs: number[] = [];
  let at = 0;
  const push = (size: number, kind: number) => {
    if (size <= 0) return;
    if (runs.length > 0 && runs.at(-1) === kind) runs[runs.length - 2] = (runs.at(-2) ?? 0) + size;
    else runs.push(size, kind);
    at += size;
  };
  for (const token of tokens) {
    push(token.offset - at, 0);
    push(Math.min(token.offset + token.length, length) - at, token.kind);
  }
  push(length - at, 0);
  return runs;
}

/** The pieces of a range of the text that the runs describe. */
export function piecesOf(text: string, runs: Runs, from = 0, to = text.length): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (let index = 0; index < runs.length && at < to; index += 2) {
    const end = at + (runs[index] ?? 0);
    const piece = text.slice(Math.max(at, from), Math.min(end, to));
    if (piece !== '' && end > from) pieces.push({ text: piece, kind: runs[index + 1] ?? 0 });
    at = end;
  }
  const rest = text.slice(Math.max(at, from), to);
  if (rest !== '') pieces.push({ text: rest, kind: 0 });
  return pieces;
}

/** All lines without line breaks, in one pass. */
export function lineRuns(text: string, runs: Runs): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { text: piece, kind } of piecesOf(text, runs)) {
    piece.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, kind });
    });
  }
  return lines;
}
