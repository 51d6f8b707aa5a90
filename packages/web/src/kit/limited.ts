/**
 * Whether this device may only read and answer (N55). The server enforces it on every message and route; the page hides
 * what would be refused. Remembered, because the page is drawn before the server says so.
 */
import type { Client } from '@tugdeck/client/client';
import { persisted } from './persisted.ts';

export const isLimited = persisted('limited', (raw) => raw === true);

const ACTIONS =
  /^(?:home\.|palette\.|search\.open|request\.|keyboard\.show|inbox\.show|open\.(?:inbox|settings|help)|session\.(?:previous|next)|sidebar\.|statusbar\.|card\.(?:close|next|previous|\d)|focus\.|find\.|entry\.|prompt\.)/;
const CARDS: ReadonlySet<string> = new Set(['conversation', 'inbox', 'settings', 'help']);

/** Whether an action of the key table, or a kind of card, is offered on this device. */
export const mayRun = (action: string): boolean => !isLimited.get() || ACTIONS.test(action);
export const mayShow = (card: string): boolean => !isLimited.get() || CARDS.has(card);

export function followLimits(client: Client, page: HTMLElement): () => void {
  const mark = () => {
    page.toggleAttribute('data-limited', isLimited.get());
  };
  mark();
  const stops = [
    isLimited.subscribe(mark),
    client.limited.subscribe(() => {
      const next = client.limited.get();
      if (next !== undefined && next !== isLimited.get()) isLimited.set(next);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
