/**
 * Notifies the user outside of the page (D7): count in the title, system notification, sound. Only for sessions
 * that are not being viewed.
 */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import {
  type AttentionItem,
  type AttentionKind,
  attentionItems,
  newItems,
} from '../../features/attention/attention-items.ts';
import { doNotDisturb, notifications, sound } from '../../features/attention/attention-settings.ts';
import { playSound } from '../../features/attention/play-sound.ts';
import { layout } from '../../kit/layout/dock.ts';
import { titleOf } from '../../kit/projects.ts';
import { atHome, hashOfSession } from '../../kit/route.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { visibleSessions } from '../dock/visible-cards.ts';

const LABELS: Readonly<Record<AttentionKind, string>> = {
  asks: 'Needs you',
  failed: 'Failed',
  finished: 'Done',
};
const BARE_TITLE = 'Tugdeck';

/** Only items that appear after the start are announced. */
export function notifyUser(client: Client): () => void {
  let before: readonly AttentionItem[] | undefined;
  const update = () => {
    const deck = client.deck.get();
    if (!deck) return;
    const now = attentionItems(deck.sessions);
    const asking = now.filter(({ kind }) => kind === 'asks').length;
    document.title = asking > 0 ? `(${asking}) ${BARE_TITLE}` : BARE_TITLE;
    const fresh = before === undefined ? [] : newItems(before, now);
    before = now;
    const unseen = fresh.filter(({ session }) => !isLookedAt(session));
    if (unseen.length === 0 || doNotDisturb.get()) return;
    if (sound.get()) playSound();
    if (notifications.get()) for (const item of unseen.slice(0, 3)) notify(item, deck.sessions);
  };
  update();
  const unsubscribe = client.deck.subscribe(update);
  return () => {
    unsubscribe();
    document.title = BARE_TITLE;
  };
}

function isLookedAt(session: string): boolean {
  return (
    document.visibilityState === 'visible' &&
    document.hasFocus() &&
    !atHome.get() &&
    visibleSessions(layout.get()).includes(session)
  );
}

function notify(item: AttentionItem, rows: readonly SessionRow[]): void {
  const row = rows.find(({ id }) => id === item.session);
  if (!row || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = shown(visibleText(titleOf(row)), { body: LABELS[item.kind], tag: item.session });
  note?.addEventListener('click', () => {
    window.focus();
    location.hash = hashOfSession(item.session);
    note.close();
  });
}

/** Undefined on Android, where browsers show notifications of service workers only. */
function shown(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    navigator.vibrate?.(200);
    return undefined;
  }
}
