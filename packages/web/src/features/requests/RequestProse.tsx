/** Sentences of a request. Long ones are in a box with their length, so that they can't push the rest out of view. */
import { visibleText } from '../../kit/visible-text.ts';
import { RequestText } from '../tool-results/RequestText.tsx';
import { isLongProse } from './long-prose.ts';

export interface RequestProseProps {
  text: string;
  /** Line breaks matter. */
  hasLines?: boolean;
}

export function RequestProse({ text, hasLines = false }: RequestProseProps) {
  if (isLongProse(text))
    return (
      <div className="request-prose">
        <RequestText text={text} form="text" isBoxed />
      </div>
    );
  return <p className={`request-reason${hasLines ? ' request-lines' : ''}`}>{visibleText(text)}</p>;
}
