/**
 * Tells the server what the user has looked at (D7), so that no page calls out what another one showed. Seen is what
 * is in sight while the page is looked at; hidden cards and background tabs see nothing.
 */
import type { Client } from '@tugdeck/client/client';
import { layout } from '../dock/dock.ts';
import { visibleSessions } from '../dock/visible-cards.ts';

export function markSeen(client: Client): () => void {
  const sentCounts = new Map<string, number>();
  const look = () => {
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return;
    const rows = client.deck.get()?.sessions ?? [];
    for (const session of visibleSessions(layout.get())) {
      const row = rows.find(({ id }) => id === session);
      const entries = row?.summary?.entries ?? 0;
      const seen = Math.max(row?.seen ?? 0, sentCounts.get(session) ?? 0);
      // While a turn runs there is always more to see; its end is what counts.
      if (!row || row.origin === 'foreign' || row.summary?.turn !== 'idle' || entries <= seen) continue;
      sentCounts.set(session, entries);
      client.request({ type: 'session.seen', session, entries }).catch(() => sentCounts.delete(session));
    }
  };
  const stops = [client.deck.subscribe(look), layout.subscribe(look)];
  addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    for (const stop of stops) stop();
    removeEventListener('focus', look);
    document.removeEventListener('visibilitychange', look);
  };
}
