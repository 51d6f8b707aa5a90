/** Where the focus was in each card, and putting it back when the card comes forward. */

const last = new Map<string, Element>();

/** Remembers the focus inside of `host` while it is drawn. */
export function keepFocus(card: string, host: HTMLElement | null): (() => void) | undefined {
  if (!host) return undefined;
  const onFocus = (event: FocusEvent) => {
    if (event.target instanceof Element) last.set(card, event.target);
  };
  host.addEventListener('focusin', onFocus);
  return () => {
    host.removeEventListener('focusin', onFocus);
    last.delete(card);
  };
}

/** A card says what of it wants the focus by `data-card-focus`; else what had it, else what comes first. */
const FIRST = '[data-card-focus], textarea, input, [tabindex="0"], button';

/** Once it is drawn. Never into a request: what is typed then was meant for something else (C6). On a phone nothing is focused by itself: the keyboard would rise. */
export function focusCard(card: string): void {
  if (!matchMedia('(pointer: fine)').matches) return;
  requestAnimationFrame(() => {
    const host = document.getElementById(`card-${card}`);
    if (!host || place(card, host)) return;
    // Its code is on the way. Whoever does something else meanwhile keeps the focus there.
    const watcher = new MutationObserver(() => place(card, host) && stop());
    const stop = () => {
      watcher.disconnect();
      removeEventListener('keydown', stop, true);
      removeEventListener('pointerdown', stop, true);
    };
    watcher.observe(host, { childList: true, subtree: true });
    addEventListener('keydown', stop, true);
    addEventListener('pointerdown', stop, true);
  });
}

/** Whether nothing is left to do. */
function place(card: string, host: HTMLElement): boolean {
  if (!host.isConnected || host.contains(document.activeElement) || document.querySelector('dialog[open]'))
    return true;
  const before = last.get(card);
  const isThere = before?.isConnected && host.contains(before) && !before.closest('[data-request]');
  const target = isThere ? before : host.querySelector(FIRST);
  if (!(target instanceof HTMLElement)) return false;
  target.focus({ preventScroll: true });
  return true;
}
