/** Tokens and cost of today, in the status bar (D17). Read again when an agent reported more, while the page is visible. */
import { stats } from '@tugdeck/protocol/areas/stats';
import { useClient } from '../../kit/client-context.tsx';
import { showCardOf } from '../../kit/layout/open-card.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { usePageVisible } from '../../kit/use-page-visible.ts';
import { useSlowReadable } from '../../kit/use-slow-readable.ts';
import { spentText, usageMark } from './bar-facts.ts';

/** Working agents report usage all the time. */
const EVERY_MS = 5_000;

export function SpentToday() {
  const deck = useSlowReadable(useClient().deck, EVERY_MS);
  const day = new Date(useNow('half-minute')).toDateString();
  const { channel } = useArea(stats, usePageVisible() ? {} : undefined);
  const { value } = useReply(channel, 'usage', { days: 1 }, `${day} ${usageMark(deck)}`);
  const text = value && spentText(value.rows);
  if (text === undefined) return null;
  const where = deck?.machines?.length ? ' on this machine' : '';
  return (
    <button
      type="button"
      className="status-button"
      title={`Used today${where}, as reported by the agents. Click for statistics.`}
      onClick={() => showCardOf('stats', {})}
    >
      Today {text}
    </button>
  );
}
