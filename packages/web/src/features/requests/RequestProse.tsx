/** Sentences of a request. Long ones are in a box with their length, so that they can't push the rest out of view. */
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { RequestText } from '../tool-results/RequestText.tsx';

/** Longer than any title or reason that somebody wrote to be read. */
const LONG = 600;
const MANY_LINES = 12;

export function isLongProse(text: string): boolean {
  return text.length > LONG || text.split('\n', MANY_LINES + 1).length > MANY_LINES;
}

export interface RequestProseProps {
  text: string;
  /** Line breaks matter. */
  hasLines?: boolean;
}

export function RequestProse({ text, hasLines = false }: RequestProseProps) {
  if (isLongProse(text)) return <RequestText text={text} form="text" isBoxed />;
  return <p className={`request-reason${hasLines ? ' request-lines' : ''}`}>{visibleText(text)}</p>;
}

/** The beginning of a long title; `RequestProse` shows all of it below. */
export function titleStart(title: string): string {
  return isLongProse(title) ? `${visibleExact(title.slice(0, 200))}…` : title;
}
