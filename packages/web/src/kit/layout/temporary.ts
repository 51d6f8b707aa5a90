/**
 * Temporary tabs (D48): a click on a session or a file shows it in a tab that the next click replaces. A double click,
 * Enter, editing, sending or moving the tab keeps it. On a phone, which has no tab strip, every tab is kept.
 */
import { repeatRoute, route, sessionOfHash, showSession } from '../route.ts';
import { PHONE } from '../use-media.ts';
import { changeLayout, layout } from './dock.ts';
import { keepCard } from './edit-layout.ts';
import { cardById } from './layout.ts';
import { findCard } from './open-card.ts';

export function hasTemporaryTabs(): boolean {
  return !matchMedia(PHONE).matches;
}

/** The session whose link was clicked: its tab, opened when the URL changes, is temporary. */
let clicked: string | undefined;

export function wasClicked(session: string): boolean {
  const was = clicked === session;
  clicked = undefined;
  return was;
}

/** The URL is about to show this session. */
export function expectTemporary(session: string): void {
  clicked = hasTemporaryTabs() && route.get() !== session ? session : undefined;
}

export function showTemporarily(session: string): void {
  expectTemporary(session);
  showSession(session);
}

export function keepOpen(card: string): void {
  if (cardById(layout.get(), card)?.isTemporary) changeLayout((old) => keepCard(old, card));
}

export function keepSession(session: string): void {
  const card = findCard(layout.get(), 'conversation', { session });
  if (card) keepOpen(card.id);
}

/** Clicks on links to sessions, wherever they are. */
export function followClicks(): void {
  document.addEventListener('keydown', forget, { capture: true });
  document.addEventListener('click', forget, { capture: true });
  document.addEventListener('click', (event) => {
    const { defaultPrevented, detail, target, ctrlKey, metaKey, shiftKey } = event;
    if (defaultPrevented || ctrlKey || metaKey || shiftKey) return;
    const link =
      target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#/session/"]') : null;
    const session = link ? sessionOfHash(link.hash) : undefined;
    if (session === undefined) return;
    // The browser reports no change of the URL.
    if (link?.hash === location.hash) repeatRoute();
    // Enter on a link is a click without a count.
    if (detail === 0) return;
    if (detail > 1) keepSession(session);
    else expectTemporary(session);
  });
}

function forget(): void {
  clicked = undefined;
}
