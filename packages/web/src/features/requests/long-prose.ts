/** Which sentences of a request are too long to be shown as they are. Pure. */
import { visibleExact } from '../../kit/visible-text.ts';

/** Longer than any title or reason that somebody wrote to be read. */
const LONG = 600;
const MANY_LINES = 12;

export function isLongProse(text: string): boolean {
  return text.length > LONG || text.split('\n', MANY_LINES + 1).length > MANY_LINES;
}

/** The beginning of a long title; the request shows all of it below. */
export function titleStart(title: string): string {
  return isLongProse(title) ? `${visibleExact(title.slice(0, 200))}…` : title;
}
