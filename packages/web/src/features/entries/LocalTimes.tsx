/** Shows UTC times in a driver's text as local times, with the time left. */
import { localTime, timeUntil } from '../../kit/format.ts';
import { useNow } from '../../kit/use-now.ts';
import { visibleProse } from '../../kit/visible-text.ts';

const NEUTRAL = /(\d{4}-\d\d-\d\dT\d\d:\d\dZ)/;

export function LocalTimes({ text }: { text: string }) {
  return text
    .split(NEUTRAL)
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
