/** Page-wide shortcuts. Disabled while a dialog is open. */
import { useEffect } from 'react';
import { hasRunner, runAction } from '../../kit/action-runners.ts';
import { isWriting } from '../../kit/keys/key-names.ts';
import { KEY_TABLE } from '../../kit/keys/key-table.ts';
import { actionForKey } from '../../kit/keys/keymap.ts';

/** The page's action for a key, for cards that handle keys themselves and must let these pass. */
export function pageAction(event: KeyboardEvent): string | undefined {
  const id = actionForKey(event, 'page', { isTyping: isWriting(event.target) });
  // A terminal uses the same key for its own search.
  if (id === 'search.open' && event.target instanceof Element && event.target.closest('[data-own-find]'))
    return undefined;
  return id !== undefined && hasRunner(id) ? id : undefined;
}

/** Two keys in sequence count if the second follows within this time. */
const SEQUENCE_MS = 1_000;

/** The action of a sequence such as G H. */
function sequenceAction(first: string, { key }: KeyboardEvent): string | undefined {
  const press = `${first} ${key}`.toUpperCase();
  const id = KEY_TABLE.find((row) => row.press === press)?.id;
  return id !== undefined && hasRunner(id) ? id : undefined;
}

/** Letters there answer the request. It may be gone before a second press, which must not do something else. */
const ANSWERS = '[data-request], .board-card';
const ANSWERING_MS = 2_000;
let answeredAt = Number.NEGATIVE_INFINITY;
/** Letters that answer a request: while one is on screen, they may be meant for it, wherever the focus is. */
const ANSWER_LETTERS = /^[yna]$/i;

const isRequestOnScreen = () =>
  [...document.querySelectorAll('[data-request]')].some((request) => request.checkVisibility());

/** The action of a single letter such as N. */
function letterAction({ key, timeStamp }: KeyboardEvent): string | undefined {
  if (timeStamp - answeredAt < ANSWERING_MS) return undefined;
  if (ANSWER_LETTERS.test(key) && isRequestOnScreen()) return undefined;
  const press = key.toUpperCase();
  const id = KEY_TABLE.find((row) => row.scope === 'letters' && row.press === press)?.id;
  return id !== undefined && hasRunner(id) ? id : undefined;
}

export function usePageKeys(): void {
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.target instanceof Element && event.target.closest(ANSWERS)) answeredAt = event.timeStamp;
      if (event.defaultPrevented || event.isComposing) return;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event.target);
      const isSecond = isPlain && first !== undefined && event.timeStamp - first.at < SEQUENCE_MS;
      const id =
        (isSecond && first ? sequenceAction(first.key, event) : undefined) ??
        (isPlain ? letterAction(event) : undefined) ??
        pageAction(event);
      first = isPlain ? { key: event.key, at: event.timeStamp } : undefined;
      if (id === undefined) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) runAction(id);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
