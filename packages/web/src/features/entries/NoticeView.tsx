import type { NoticeEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { exactTime, localTime, timeUntil } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useNow } from '../../kit/use-now.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { LongTextView } from '../tool-results/LongTextView.tsx';

const AttachHistory = lazyComponent(() =>
  import('../restore/AttachHistory.tsx').then((part) => part.AttachHistory),
);

/** Longer details are not advice. */
const MAX_ADVICE = 300;

export function NoticeView({ entry }: { entry: NoticeEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { level, detail } = entry;
  // Advice for an error must not be hidden behind a button (A8).
  const isAdvice = level === 'error' && typeof detail === 'string' && detail.length <= MAX_ADVICE;
  return (
    <>
      <div className="notice" data-level={entry.level} title={exactTime(entry.at)}>
        <span className="notice-text">
          <LocalTimes text={entry.text} />
          {isAdvice ? (
            <span className="notice-advice">
              <LocalTimes text={detail} />
            </span>
          ) : null}
        </span>
        {detail === undefined || isAdvice ? null : (
          <Button look="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'less' : 'more'}
          </Button>
        )}
        {entry.notice === 'fresh' ? <AttachHistory before={entry.seq} /> : null}
      </div>
      {isOpen && detail !== undefined ? <LongTextView text={detail} /> : null}
    </>
  );
}

const UTC_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\dZ)/;

/** Shows UTC times in a driver's text as local times, with the time left. */
function LocalTimes({ text }: { text: string }) {
  return text
    .split(UTC_TIME)
    .map((part, at) => (at % 2 === 0 ? visibleProse(part) : <LocalTime key={part} iso={part} />));
}

function LocalTime({ iso }: { iso: string }) {
  const now = useNow('half-minute');
  const at = Date.parse(iso);
  const left = timeUntil(at, now);
  return (
    <time dateTime={iso}>
      {localTime(at, now)}
      {left === undefined ? null : ` (${left})`}
    </time>
  );
}
