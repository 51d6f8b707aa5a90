import { visibleText } from '../../kit/visible-text.ts';
import type { Piece } from './runs.ts';
import { SYNTAX_KINDS } from './syntax-theme.ts';

export interface CodeLineProps {
  text: string;
  pieces: readonly Piece[] | undefined;
  /** Ranges to highlight, in order. */
  marks?: readonly (readonly [from: number, to: number])[] | undefined;
}

/** One line of code with syntax colors and highlighted changes. */
export function CodeLine({ text, pieces, marks }: CodeLineProps) {
  const colored = pieces ?? [{ text, kind: 0 }];
  let at = 0;
  return colored.flatMap((piece) => {
    const from = at;
    at += piece.text.length;
    return cut(piece, from, marks).map(({ start, part, isMarked }) => {
      const names = [
        ...(piece.kind === 0 ? [] : [`syntax-${SYNTAX_KINDS[piece.kind]}`]),
        ...(isMarked ? ['diff-word'] : []),
      ];
      return names.length === 0 ? (
        part
      ) : (
        <span key={start} className={names.join(' ')}>
          {part}
        </span>
      );
    });
  });
}

function cut(piece: Piece, from: number, marks: CodeLineProps['marks']) {
  const to = from + piece.text.length;
  const parts: { start: number; part: string; isMarked: boolean }[] = [];
  let at = from;
  const push = (end: number, isMarked: boolean) => {
    if (end > at)
      parts.push({ start: at, part: visibleText(piece.text.slice(at - from, end - from)), isMarked });
    at = Math.max(at, end);
  };
  for (const [start, end] of marks ?? []) {
    push(Math.min(start, to), false);
    push(Math.min(end, to), true);
  }
  push(to, false);
  return parts;
}
