/** Remembers the focused element of each card and restores it when the card comes to the front. */

const last = new Map<string, Element>();

/** Tracks the focus inside `host` while it is mounted. */
export function keepFocus(card: string, host: HTMLElement | null): (() => void) | undefined {
  if (!host) return undefined;
  const onFocus = (event: FocusEvent) => {
    if (event.target instanceof Element && event.target !== host) last.set(card, event.target);
  };
  host.addEventListener('focusin', onFocus);
  return () => {
    host.removeEventListener('focusin', onFocus);
    last.delete(card);
  };
}

/** First focus target. Never a plain button: a key meant for text would press it. */
const FIRST = 'textarea, input, [tabindex="0"]';

/**
 * Focuses the element with `data-card-focus`, else the last focused one, else the first target, as soon as the card
 * is rendered. Until then the card itself has the focus, so that keys go nowhere. On a phone nothing is focused,
 * because the keyboard would open.
 */
export function focusCard(card: string): void {
  if (!matchMedia('(pointer: fine)').matches) return;
  requestAnimationFrame(() => {
    const host = document.getElementById(`card-${card}`);
    if (!host || place(card, host)) return;
    host.tabIndex = -1;
    host.focus({ preventScroll: true });
    // The card's code is still loading. If the user moves the focus, it stays there.
    const watcher = new MutationObserver(() => {
      if (document.activeElement !== host || place(card, host)) watcher.disconnect();
    });
    watcher.observe(host, { childList: true, subtree: true });
  });
}

/** Returns true when the focus is settled. */
function place(card: string, host: HTMLElement): boolean {
  const { activeElement } = document;
  const isInside = activeElement !== host && host.contains(activeElement);
  if (!host.isConnected || isInside || document.querySelector('dialog[open]')) return true;
  const before = last.get(card);
  const isThere = before?.isConnected && host.contains(before) && !isOfRequest(before);
  const target = isThere ? before : firstOf(host);
  if (!(target instanceof HTMLElement)) return false;
  target.focus({ preventScroll: true });
  return true;
}

function firstOf(host: HTMLElement): Element | undefined {
  const wanted = host.querySelector('[data-card-focus]');
  return wanted ?? [...host.querySelectorAll(FIRST)].find((element) => !isOfRequest(element));
}

/** Keys typed when a card comes to the front are not meant to answer a request (C6). */
function isOfRequest(element: Element): boolean {
  return element.closest('[data-request]') !== null;
}
