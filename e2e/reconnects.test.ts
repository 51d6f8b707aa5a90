import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { longAnswer } from '@tugdeck/testkit/scenarios';
import { text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connected, type Deck, drawnForm, entries, openDeck, rested, send } from './deck.ts';

const PAGES = isFullTier ? 5 : 3;
const DISCONNECTS = isFullTier ? 200 : 10;

let deck: Deck;
beforeAll(async () => {
  deck = await openDeck({ timings: { reconnectMs: [10, 20], pulseMs: 2_000 } });
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

/** Keeps hold of the page's sockets, so that a test can cut them. */
async function withCuttableSocket(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const open = new Set<WebSocket>();
    const Original = window.WebSocket;
    window.WebSocket = class extends Original {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        open.add(this);
      }
    };
    Object.assign(window, {
      cutSockets: () => {
        for (const socket of open) socket.close();
        open.clear();
      },
    });
  });
  await page.reload();
  await connected(page);
}

const cut = (page: Page) => page.evaluate(() => (window as unknown as { cutSockets(): void }).cutSockets());

/** A small seeded generator: a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`M2 D6 ${DISCONNECTS} random disconnects over ${PAGES} pages during streaming: all equal a fresh load`, async () => {
  deck.fake.script('stream', [text(longAnswer, { chunk: 16, delayMs: 2 })]);
  const first = (await deck.page()).page;
  const pages = [first];
  for (let index = 1; index < PAGES; index++) pages.push((await deck.page()).page);
  for (const page of pages) await withCuttableSocket(page);
  await send(first, 'SCN:stream');
  const next = random(20_261_115);
  let cuts = 0;
  while (cuts < DISCONNECTS) {
    const page = pages[Math.floor(next() * PAGES)] ?? first;
    await cut(page);
    cuts += 1;
    if (next() < 0.3) await connected(page);
  }
  const { page: fresh } = await deck.page();
  await entries(fresh, 'text', 'complete').waitFor();
  const drawn = (page: Page) => drawnForm(entries(page, 'text').last());
  for (const page of pages) {
    await connected(page);
    await entries(page, 'text', 'complete').waitFor();
    await rested(page);
    // A long text may be drawn a little after it is complete, on each of them.
    await expect.poll(async () => (await drawn(page)) === (await drawn(fresh))).toBe(true);
  }

  const data = dataDirectory(deck.sandbox.data);
  const [session = ''] = readdirSync(join(data.root, 'sessions'));
  const state = readTail(data.session(session));
  const texts = state ? [...entriesFrom(state.entries)].filter((entry) => entry.kind === 'text') : [];
  expect(texts.map((entry) => 'text' in entry && entry.text === longAnswer)).toEqual([true]);
});

test('D6 a server that stops responding without closing the connection is detected, reported and reconnected to', async () => {
  const { page } = await deck.page();
  const state = page.getByRole('status', { name: 'Connection' });
  process.kill(deck.serverPid, 'SIGSTOP');
  try {
    await state.and(page.locator('[data-state="offline"], [data-state="connecting"]')).waitFor();
  } finally {
    process.kill(deck.serverPid, 'SIGCONT');
  }
  await connected(page);
});
