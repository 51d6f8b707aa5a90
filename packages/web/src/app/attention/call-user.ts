/**
 * Calls the user from outside of the page (D7): the count in the title, the browser's own notification, a short
 * sound. Only for what nobody is looking at. Knows what waits, not how it is drawn.
 */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { visibleText } from '../../ui/visible-text.ts';
import { titleOf } from '../projects.ts';
import { hashOfSession, route } from '../route.ts';
import { doNotDisturb, notifications, sound } from './attention-settings.ts';
import { newItems, type WaitingItem, type WaitingKind, waitingItems } from './waiting-items.ts';

const WORDS: Readonly<Record<WaitingKind, string>> = {
  asks: 'waits for you',
  failed: 'failed',
  finished: 'is done',
};
const BARE_TITLE = 'tugdeck';

/** Begins with what waits now: only what comes later is called out. */
export function callUser(client: Client): () => void {
  let before: readonly WaitingItem[] | undefined;
  const look = () => {
    const deck = client.deck.get();
    if (!deck) return;
    const now = waitingItems(deck.sessions);
    const asking = now.filter(({ kind }) => kind === 'asks').length;
    document.title = asking > 0 ? `(${asking}) ${BARE_TITLE}` : BARE_TITLE;
    const fresh = before === undefined ? [] : newItems(before, now);
    before = now;
    const unseen = fresh.filter(({ session }) => !isLookedAt(session));
    if (unseen.length === 0 || doNotDisturb.get()) return;
    if (sound.get()) play();
    if (notifications.get()) for (const item of unseen.slice(0, 3)) notify(item, deck.sessions);
  };
  look();
  const unsubscribe = client.deck.subscribe(look);
  return () => {
    unsubscribe();
    document.title = BARE_TITLE;
  };
}

function isLookedAt(session: string): boolean {
  return document.visibilityState === 'visible' && document.hasFocus() && route.get() === session;
}

function notify(item: WaitingItem, rows: readonly SessionRow[]): void {
  const row = rows.find(({ id }) => id === item.session);
  if (!row || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = new Notification(visibleText(titleOf(row)), { body: WORDS[item.kind], tag: item.session });
  note.addEventListener('click', () => {
    window.focus();
    location.hash = hashOfSession(item.session);
    note.close();
  });
}

let audio: AudioContext | undefined;

/** Two soft tones: no file to load, and a browser that forbids sound before the first click just stays silent. */
function play(): void {
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  const volume = audio.createGain();
  volume.connect(destination);
  volume.gain.setValueAtTime(0.08, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + 0.4);
  for (const [at, pitch] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(volume);
    tone.start(currentTime + at * 0.12);
    tone.stop(currentTime + at * 0.12 + 0.2);
  }
}
