/**
 * Text in a request, complete: hidden characters are visible, and runs of blanks cannot push content out of sight.
 */
import type { Field } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { useMemo } from 'react';
import { bytes, plural } from '../../kit/format.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { type BlankPiece, blankPieces, blankText } from './blank-runs.ts';
import { splitLines } from './lines.ts';

/** Longer text is in a scrolling box with its length, so that the first line and the buttons stay in view. */
const LONG = 2 * 1024;
const MANY_LINES = 60;
/** Lines rendered at a time while scrolling. */
const PART_LINES = 200;

export interface RequestTextProps {
  text: LongText;
  form: Field['form'];
  /** In a box whatever its length. */
  isBoxed?: boolean;
}

export function RequestText({ text: preview, form, isBoxed = false }: RequestTextProps) {
  const text = typeof preview === 'string' ? preview : `${preview.head}\n…\n${preview.tail}`;
  const pieces = useMemo(() => (text.length > LONG ? [] : blankPieces(visibleText(text))), [text]);
  if (isBoxed || text.length > LONG || lineCount(pieces) > MANY_LINES) return <LongLines text={text} />;
  const Tag = form === 'text' ? 'span' : 'code';
  let at = 0;
  return (
    <Tag className={form === 'text' ? 'field-text' : 'field-code'}>
      {pieces.map((piece) => {
        at += piece.text.length + 1;
        return piece.isRun ? (
          <span key={at} className="blank-run">
            {piece.text}
          </span>
        ) : (
          piece.text
        );
      })}
    </Tag>
  );
}

function lineCount(pieces: readonly BlankPiece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.split('\n').length - 1, 1);
}

/** `isExact`: whitespace matters too. */
export function LongLines({ text, isExact = false }: { text: string; isExact?: boolean }) {
  const { parts, count, isLong } = useMemo(() => {
    const lines = splitLines(isExact ? text : blankText(visibleText(text)));
    const starts = Array.from(
      { length: Math.ceil(lines.length / PART_LINES) },
      (_, part) => part * PART_LINES,
    );
    return {
      parts: starts.map((from) => ({ from, text: lines.slice(from, from + PART_LINES).join('\n') })),
      count: splitLines(text).length,
      isLong: text.length > LONG || lines.length > MANY_LINES,
    };
  }, [text, isExact]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys */}
      <pre className="plain long-lines" tabIndex={0}>
        {parts.map((part) => (
          <span key={part.from} className="long-part">
            {part.text}
            {'\n'}
          </span>
        ))}
      </pre>
      {isLong ? (
        <p className="result-note">
          {plural(count, 'line')}, {bytes(new Blob([text]).size)}. Scroll to see it all.
        </p>
      ) : null}
    </>
  );
}
