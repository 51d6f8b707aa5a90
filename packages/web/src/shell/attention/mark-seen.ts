/**
 * Reports viewed sessions to the server (D7), so that no page notifies about what another one showed. A session is
 * seen while it is visible in a focused page.
 */
import type { Client } from '@tugdeck/client/client';
import { layout } from '../../kit/layout/dock.ts';
import { atHome } from '../../kit/route.ts';
import { visibleSessions } from '../dock/visible-cards.ts';

export function markSeen(client: Client): () => void {
  const sentCounts = new Map<string, number>();
  const update = () => {
    if (document.visibilityState !== 'visible' || !document.hasFocus() || atHome.get()) return;
    const rows = client.deck.get()?.sessions ?? [];
    for (const session of visibleSessions(layout.get())) {
      const row = rows.find(({ id }) => id === session);
      const entries = row?.summary?.entries ?? 0;
      const seen = Math.max(row?.seen ?? 0, sentCounts.get(session) ?? 0);
      // While a turn runs there is always more to see; only its end counts.
      if (!row || row.origin === 'foreign' || row.summary?.turn !== 'idle' || entries <= seen) continue;
      sentCounts.set(session, entries);
      client.request({ type: 'session.seen', session, entries }).catch(() => sentCounts.delete(session));
    }
  };
  const stops = [client.deck.subscribe(update), layout.subscribe(update), atHome.subscribe(update)];
  addEventListener('focus', update);
  document.addEventListener('visibilitychange', update);
  update();
  return () => {
    for (const stop of stops) stop();
    removeEventListener('focus', update);
    document.removeEventListener('visibilitychange', update);
  };
}
