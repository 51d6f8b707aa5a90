/**
 * Notifies the user outside of the page (D7): title and icon of the tab, system notification, sound. The latter two only
 * for sessions that are not being viewed.
 */
import type { Client } from '@tugdeck/client/client';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import {
  type AttentionItem,
  type AttentionKind,
  attentionItems,
  newItems,
} from '../../features/attention/attention-items.ts';
import { doNotDisturb, notifications, sound } from '../../features/attention/attention-settings.ts';
import { playSound } from '../../features/attention/play-sound.ts';
import { isCalled } from '../../features/attention/push-subscription.ts';
import { layout } from '../../kit/layout/dock.ts';
import { activeCard } from '../../kit/layout/layout.ts';
import { titleOf } from '../../kit/projects.ts';
import { atHome, hashOfSession } from '../../kit/route.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { cardTitle } from '../dock/card-title.ts';
import { visibleSessions } from '../dock/visible-cards.ts';
import { faviconState, showFavicon } from './favicon.ts';
import { considerOffer, longTurnEnded } from './offer-notifications.ts';

const LABELS: Readonly<Record<AttentionKind, string>> = {
  asks: 'Needs you',
  failed: 'Failed',
  finished: 'Done',
};
const BARE_TITLE = 'Tugdeck';
/** Tabs are narrow; the rest of a long title would only be in the way. */
const MAX_TITLE = 80;

/** Only items that appear after the start are announced. */
export function notifyUser(client: Client): () => void {
  let before: readonly AttentionItem[] | undefined;
  let rowsBefore: readonly SessionRow[] = [];
  const update = () => {
    const deck = client.deck.get();
    if (!deck) return;
    const now = attentionItems(deck.sessions);
    const asking = now.filter(({ kind }) => kind === 'asks').length;
    document.title = `${asking > 0 ? `(${asking}) ` : ''}${placeTitle(deck)}`;
    showFavicon(faviconState(deck.sessions, Date.now()));
    considerOffer(longTurnEnded(rowsBefore, deck.sessions), titleOf);
    rowsBefore = deck.sessions;
    const fresh = before === undefined ? [] : newItems(before, now);
    before = now;
    const unseen = fresh.filter(({ session }) => !isLookedAt(session));
    if (unseen.length === 0 || doNotDisturb.get()) return;
    if (sound.get()) playSound();
    if (notifications.get() && !isCalled.get()) for (const item of unseen.slice(0, 3)) notify(item, deck);
  };
  update();
  const stops = [client.deck, layout, atHome].map((one) => one.subscribe(update));
  return () => {
    for (const stop of stops) stop();
    document.title = BARE_TITLE;
  };
}

/** The card in front, as the browser's tab and history name it. */
function placeTitle(deck: Deck): string {
  const card = atHome.get() ? undefined : activeCard(layout.get());
  return card ? `${cardTitle(card, deck).slice(0, MAX_TITLE)} – ${BARE_TITLE}` : BARE_TITLE;
}

function isLookedAt(session: string): boolean {
  return (
    document.visibilityState === 'visible' &&
    document.hasFocus() &&
    !atHome.get() &&
    visibleSessions(layout.get()).includes(session)
  );
}

function notify(item: AttentionItem, deck: Deck): void {
  const row = deck.sessions.find(({ id }) => id === item.session);
  if (!row || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = shown(visibleText(titleOf(row)), item.session, {
    body: notificationText(item, row, deck),
    tag: item.session,
  });
  note?.addEventListener('click', () => {
    window.focus();
    location.hash = hashOfSession(item.session);
    note.close();
  });
}

/** The request or the failure, and the project. */
function notificationText({ kind }: AttentionItem, { summary, project }: SessionRow, deck: Deck): string {
  const detail = kind === 'asks' ? summary?.request : kind === 'failed' ? summary?.agentReason : undefined;
  const name = deck.projects.find(({ id }) => id === project)?.name;
  return [LABELS[kind], detail, name].flatMap((part) => (part ? [visibleText(part)] : [])).join(' · ');
}

/** Undefined on Android, where browsers show notifications of service workers only: then through ours, if there is one. */
function shown(title: string, session: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    navigator.vibrate?.(200);
    void navigator.serviceWorker
      ?.getRegistration()
      .then((worker) => worker?.showNotification(title, { ...options, data: { session, at: Date.now() } }));
    return undefined;
  }
}
