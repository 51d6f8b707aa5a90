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
  let reported = '';
  /** So that no device is called about it (N52). Again after a reconnect. */
  const report = () => {
    const isOnline = client.status.get().state === 'online';
    if (!isOnline || !client.canPush.get()) {
      reported = '';
      return;
    }
    const isFront = document.visibilityState === 'visible' && document.hasFocus();
    const sessions = isFront && !atHome.get() ? visibleSessions(layout.get()).slice(0, 64) : [];
    const sight = { sessions, ...(isFront && atHome.get() ? { all: true } : {}) };
    const text = JSON.stringify(sight);
    if (text === reported) return;
    reported = text;
    client.request({ type: 'page.sight', ...sight }).catch(() => undefined);
  };
  const stops = [client.deck.subscribe(update), layout.subscribe(update), atHome.subscribe(update)];
  for (const source of [client.status, client.canPush, layout, atHome]) stops.push(source.subscribe(report));
  for (const type of ['focus', 'blur']) addEventListener(type, report);
  document.addEventListener('visibilitychange', report);
  addEventListener('focus', update);
  document.addEventListener('visibilitychange', update);
  update();
  report();
  return () => {
    for (const stop of stops) stop();
    for (const type of ['focus', 'blur']) removeEventListener(type, report);
    document.removeEventListener('visibilitychange', report);
    removeEventListener('focus', update);
    document.removeEventListener('visibilitychange', update);
  };
}
