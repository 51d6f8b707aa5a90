/**
 * One deck and one page for a whole test file; each test starts its own session. Opening a page takes seconds, a session
 * doesn't. After a failed test the next one gets a fresh page.
 */
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Deck, type DeckOptions, newSession, openDeck } from './deck.ts';

export interface OnePage {
  readonly deck: Deck;
  readonly opened: TestPage;
}

/** `allowed`: problems that the tests cause on purpose. */
export function onePage(options: DeckOptions & { readonly allowed?: readonly RegExp[] } = {}): OnePage {
  let deck: Deck | undefined;
  let opened: TestPage | undefined;
  beforeAll(async () => {
    deck = await openDeck(options);
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });
  beforeEach(async () => {
    opened ??= await deck?.page();
    if (opened) await newSession(opened.page);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await opened?.close();
      opened = undefined;
      return;
    }
    opened?.assertNoProblems(options.allowed);
  });
  const there = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('only inside a test');
    return value;
  };
  return {
    get deck() {
      return there(deck);
    },
    get opened() {
      return there(opened);
    },
  };
}
