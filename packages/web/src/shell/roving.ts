/**
 * The sidebar is one tab stop (D18): arrows, Home, End and typed letters move between sessions and project heads, → opens
 * the menu of a session. Applies to elements with `data-roving`.
 */
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';

/** Letters typed in quick succession are one word. */
const WORD_MS = 700;

export function useRoving(list: RefObject<HTMLElement | null>) {
  const typed = useRef({ word: '', at: 0 });
  // After every render: rows come and go, and one of those left must be reachable.
  useEffect(() => {
    const items = itemsOf(list.current);
    const active = items.find((item) => item.getAttribute('aria-current') === 'page');
    const stop = items.find((item) => item === document.activeElement) ?? active ?? items[0];
    for (const item of items) item.tabIndex = item === stop ? 0 : -1;
  });
  return (event: KeyboardEvent<HTMLElement>) => {
    const { target, key, ctrlKey, metaKey, altKey, timeStamp } = event;
    if (!(target instanceof HTMLElement) || ctrlKey || metaKey || altKey) return;
    if (!target.matches('[data-roving]')) return;
    const items = itemsOf(list.current);
    const at = items.indexOf(target);
    if (key === 'ArrowRight') return openMenu(event, target);
    const isLetter = key.length === 1 && /[\p{L}\p{N}]/u.test(key);
    if (isLetter) {
      const word = timeStamp - typed.current.at < WORD_MS ? typed.current.word + key : key;
      typed.current = { word: word.toLowerCase(), at: timeStamp };
    }
    const next = isLetter ? match(items, at, typed.current.word) : items[step(key, at, items.length)];
    if (!next || next === target) return;
    event.preventDefault();
    for (const item of items) item.tabIndex = item === next ? 0 : -1;
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  };
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-roving]') ?? [])];
}

function step(key: string, at: number, count: number): number {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? -1 : to;
}

function match(items: readonly HTMLElement[], at: number, word: string): HTMLElement | undefined {
  const from = word.length === 1 ? at + 1 : at;
  const ordered = [...items.slice(from), ...items.slice(0, from)];
  return ordered.find((item) => (item.dataset.roving ?? '').toLowerCase().startsWith(word));
}

let late: MutationObserver | undefined;

/** The row may be there before the code of its menu: the menu then opens once it is drawn, if the focus is still there. */
function openMenu(event: KeyboardEvent, target: HTMLElement): void {
  event.preventDefault();
  late?.disconnect();
  const row = target.parentElement;
  if (!row || clickMenu(row)) return;
  const watcher = new MutationObserver(() => {
    if (document.activeElement !== target || clickMenu(row)) watcher.disconnect();
  });
  watcher.observe(row, { childList: true, subtree: true });
  late = watcher;
}

function clickMenu(row: HTMLElement): boolean {
  const menu = row.querySelector<HTMLElement>('[aria-haspopup="menu"]');
  menu?.click();
  return menu !== null;
}
