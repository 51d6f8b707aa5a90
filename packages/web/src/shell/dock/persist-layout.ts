/**
 * Stores the layout in this browser: per tab, for reloads, and for the next tab. An unreadable layout is moved to
 * another key instead of being lost.
 */
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import type { Layout } from '../../kit/layout/layout.ts';
import { readLayout } from './read-layout.ts';

const NAME = 'tugdeck.layout';
const SET_ASIDE = 'tugdeck.layout.unreadable';
/** Write delay: a drag changes the layout many times a second. */
const WAIT_MS = 250;

let hadOne = false;

/** Whether this browser had a stored layout at startup. */
export function hadStoredLayout(): boolean {
  return hadOne;
}

/** Called before the first render. */
export function restoreLayout(): { readonly isReload: boolean } {
  const ofTab = load(sessionStorage);
  const found = ofTab ?? load(localStorage);
  hadOne = found !== undefined;
  if (found) changeLayout(() => found);
  return { isReload: ofTab !== undefined };
}

export function persistLayout(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let kept = layout.get();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    if (kept === layout.get()) return;
    kept = layout.get();
    const text = JSON.stringify(kept);
    store(sessionStorage, NAME, text);
    store(localStorage, NAME, text);
  };
  const off = layout.subscribe(() => {
    timer ??= setTimeout(save, WAIT_MS);
  });
  addEventListener('pagehide', save);
  return () => {
    off();
    save();
    removeEventListener('pagehide', save);
  };
}

/** A layout that was unreadable at startup and can be read now. */
export function unreadableLayout(): Layout | undefined {
  const text = localStorage.getItem(SET_ASIDE);
  return text === null ? undefined : readLayout(parse(text));
}

function load(storage: Storage): Layout | undefined {
  const text = storage.getItem(NAME);
  if (text === null) return undefined;
  const found = readLayout(parse(text));
  if (!found) store(localStorage, SET_ASIDE, text);
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    console.warn('the stored layout is not JSON', error);
    return undefined;
  }
}

function store(storage: Storage, name: string, text: string): void {
  try {
    storage.setItem(name, text);
  } catch (error) {
    console.warn('the layout could not be stored', error);
  }
}
