/** Where the focus was in each card, and putting it back when the card comes forward. */

const last = new Map<string, Element>();

/** Remembers the focus inside of `host` while it is drawn. */
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

/** Where one writes, chooses or scrolls. Never a plain button: a key that was meant for a text would press it. */
const FIRST = 'textarea, input, [tabindex="0"]';

/**
 * Once it is drawn: what says so by `data-card-focus`, else what had it, else what comes first. Until then the card itself has
 * the focus, so that what is typed meanwhile goes nowhere. On a phone nothing is focused by itself: the keyboard would rise.
 */
export function focusCard(card: string): void {
  if (!matchMedia('(pointer: fine)').matches) return;
  requestAnimationFrame(() => {
    const host = document.getElementById(`card-${card}`);
    if (!host || place(card, host)) return;
    host.tabIndex = -1;
    host.focus({ preventScroll: true });
    // Its code is on the way. Whoever goes elsewhere meanwhile stays there.
    const watcher = new MutationObserver(() => {
      if (document.activeElement !== host || place(card, host)) watcher.disconnect();
    });
    watcher.observe(host, { childList: true, subtree: true });
  });
}

/** Whether nothing is left to do. */
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

/** What is typed when a card comes forward was meant for something else than an answer (C6). */
function isOfRequest(element: Element): boolean {
  return element.closest('[data-request]') !== null;
}
