/** A reload draws the cached page before the socket is open, and the server's state then changes nothing visible. */
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { still } from '@tugdeck/testkit/frames';
import { longAnswer } from '@tugdeck/testkit/scenarios';
import { text } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connected, type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';
import { difference, drawnRows, wholeConversation } from './whole-conversation.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');

const CYCLES = process.env.TUGDECK_TEST_FULL === '1' ? 100 : 2;

let deck: Deck;
let opened: TestPage;

beforeAll(async () => {
  deck = await openDeck();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});
beforeEach(async () => {
  opened = await deck.page();
  await holdSockets(opened.page);
  await newSession(opened.page);
});
afterEach(async () => {
  opened.assertNoProblems();
  await opened.close();
});

/** From the next load on, the page's socket delivers no messages while `hold` is in its storage. */
async function holdSockets(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const held: (() => void)[] = [];
    const state = { firstContent: undefined as number | undefined, removed: 0 };
    Object.assign(window, {
      watched: state,
      openSockets() {
        sessionStorage.removeItem('hold');
        for (const open of held.splice(0)) open();
      },
    });
    const Original = window.WebSocket;
    window.WebSocket = class extends Original {
      override addEventListener(type: string, listener: never): void {
        if (type !== 'message' || sessionStorage.getItem('hold') === null) {
          super.addEventListener(type, listener);
          return;
        }
        super.addEventListener(type, (event) => {
          held.push(() => (listener as (event: Event) => void)(event));
        });
      }
    };
    new MutationObserver((changes) => {
      const isEntry = (node: Node) =>
        node instanceof Element && (node.matches('article') || node.querySelector('article') !== null);
      for (const { addedNodes, removedNodes } of changes) {
        if ([...addedNodes].some(isEntry)) state.firstContent ??= performance.now();
        state.removed += [...removedNodes].filter(isEntry).length;
      }
    }).observe(document, { childList: true, subtree: true });
  });
}

async function reloadOffline(page: Page): Promise<void> {
  await page.evaluate(() => sessionStorage.setItem('hold', '1'));
  await page.reload();
}

async function goOnline(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { openSockets(): void }).openSockets());
  await connected(page);
}

const facts = (page: Page) =>
  page.evaluate(
    () => (window as unknown as { watched: { firstContent: number | undefined; removed: number } }).watched,
  );
const isOnline = (page: Page) =>
  page
    .locator('[data-state="online"]')
    .and(page.getByRole('status', { name: 'Connection' }))
    .count();

/** The drawn page, without ids that React generates per page. */
const drawn = (page: Page) =>
  page
    .getByRole('log', { name: 'Conversation' })
    .locator('article')
    .evaluateAll((articles) =>
      articles.map((article) => {
        const copy = article.cloneNode(true) as HTMLElement;
        // Controls shown only on hover depend on what the agent supports now.
        for (const aside of copy.querySelectorAll('.entry-aside')) aside.remove();
        return copy.outerHTML.replace(/_r_\w+_/g, '_id_');
      }),
    );

/** The first entry in view and its position, to the pixel. */
const place = (page: Page) =>
  page.getByRole('log', { name: 'Conversation' }).evaluate((log) => {
    const top = log.getBoundingClientRect().top;
    const first = [...log.querySelectorAll('article')].find(
      (article) => article.getBoundingClientRect().bottom > top,
    );
    const offset = (first?.getBoundingClientRect().top ?? 0) - top;
    return { entry: first?.getAttribute('data-entry-id'), offset: Math.round(offset * 10) / 10 };
  });

/** While an answer streams, this page and a new one draw the same. */
async function equalsFresh(page: Page): Promise<void> {
  const { page: fresh, close } = await deck.page();
  await fresh.goto(page.url());
  await entries(fresh, 'text', 'partial').waitFor();
  const streaming = (await entries(page, 'text', 'partial').getAttribute('data-entry-id')) ?? '';
  const compare = async () => {
    const [here, there] = [await drawnRows(page), await drawnRows(fresh)];
    const ids = here.map(({ id }) => id).filter((id) => there.some((row) => row.id === id));
    if (!ids.includes(streaming)) return 'the answer is not drawn';
    return difference(
      here.filter(({ id }) => ids.includes(id)),
      there.filter(({ id }) => ids.includes(id)),
    );
  };
  await expect.poll(compare).toBeUndefined();
  await close();
}

test('D5 a reload draws the conversation before the socket is up, and the server changes nothing of it', async () => {
  const { page } = opened;
  for (const round of [1, 2, 3]) {
    await send(page, `SCN:text ${round}`);
    await entries(page, 'text', 'complete')
      .nth(round - 1)
      .waitFor();
    await rested(page);
  }
  // The summary of a turn arrives after its end.
  const before = await still(page, () => drawn(page));
  const times: number[] = [];
  for (let round = 0; round < (CYCLES > 5 ? 5 : 2); round++) {
    await reloadOffline(page);
    await entries(page, 'text', 'complete').nth(2).waitFor();
    expect(await isOnline(page)).toBe(0);
    await page.getByRole('navigation', { name: 'Projects' }).getByRole('link').first().waitFor();
    expect(await still(page, () => drawn(page))).toEqual(before);
    times.push(Math.round((await facts(page)).firstContent ?? Number.NaN));
    await goOnline(page);
    expect(await still(page, () => drawn(page))).toEqual(before);
    expect((await facts(page)).removed).toBe(0);
  }
  console.info(`first content after a reload: ${times.join(', ')} ms (goal < 200)`);
  const { page: fresh } = await deck.page();
  await fresh.goto(page.url());
  await entries(fresh, 'text', 'complete').nth(2).waitFor();
  await expect.poll(() => drawn(fresh)).toEqual(before);
});

test(
  `D5 C11 ${CYCLES} reloads while an answer streams: the reader's place stays to the pixel, the page is that of a fresh load`,
  async () => {
    const { page } = opened;
    deck.fake.script('drip', [text(longAnswer.repeat(2), { gate: 'drop', chunk: 300 })]);
    for (const [round, script] of ['text', 'thinking', 'read', 'bash-fail'].entries()) {
      await send(page, `SCN:${script} round ${round} ${'is long enough to fill the page. '.repeat(20)}`);
      await entries(page, 'user', 'complete')
        .filter({ hasText: `round ${round}` })
        .waitFor();
      await rested(page);
    }
    await send(page, 'SCN:drip');
    const answer = entries(page, 'text', 'partial');
    const length = () =>
      answer.evaluateAll((found) => found.reduce((sum, node) => sum + (node.textContent?.length ?? 0), 0));
    const drop = async () => {
      const had = await length();
      deck.fake.release('drop');
      await expect.poll(length).toBeGreaterThan(had);
    };
    for (let index = 0; index < 8; index++) await drop();
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.hover();
    await page.mouse.wheel(0, -500);
    await page.getByRole('button', { name: /Jump to latest|new/ }).waitFor();
    await still(page, () => place(page));
    const moved: unknown[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const was = await place(page);
      await reloadOffline(page);
      await log.locator('article').first().waitFor();
      await expect.poll(() => place(page)).toEqual(was);
      const had = await length();
      deck.fake.release('drop');
      await goOnline(page);
      // The rest of the stream has arrived and moved nothing.
      await expect.poll(length).toBeGreaterThan(had);
      const now = await still(page, () => place(page));
      if (now.entry !== was.entry || now.offset !== was.offset) moved.push({ cycle, was, now });
      if (cycle % 20 === 19) await equalsFresh(page);
    }
    expect(moved).toEqual([]);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await entries(page, 'text', 'cancelled').waitFor();
    await rested(page);
    const { page: fresh } = await deck.page();
    await fresh.goto(page.url());
    await entries(fresh, 'text', 'cancelled').waitFor();
    // Polled because code highlighting comes from a worker.
    await expect
      .poll(async () => {
        const [here, there] = [await wholeConversation(page), await wholeConversation(fresh)];
        return difference(here.rows, there.rows) ?? here.height - there.height;
      })
      .toBe(0);
  },
  // A limit against hanging, not a measurement: a cycle takes two seconds on an idle machine.
  120_000 + CYCLES * 30_000,
);

test('D6 a message written while offline survives a reload, waits, and is sent once', async () => {
  const { page } = opened;
  await send(page, 'SCN:text first');
  await entries(page, 'text', 'complete').waitFor();
  await rested(page);
  await reloadOffline(page);
  await entries(page, 'text', 'complete').waitFor();
  await send(page, 'SCN:text written offline');
  const written = entries(page, 'user').filter({ hasText: 'written offline' });
  await written.getByText('sending').waitFor();
  await reloadOffline(page);
  await written.getByText('sending').waitFor();
  expect(await isOnline(page)).toBe(0);
  await goOnline(page);
  await entries(page, 'text', 'complete').nth(1).waitFor();
  await rested(page);
  await page.reload();
  await connected(page);
  await entries(page, 'text', 'complete').nth(1).waitFor();
  await expect.poll(() => written.count()).toBe(1);
  await expect.poll(() => entries(page, 'text').count()).toBe(2);
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('waiting'))))
    .toEqual([]);
});

testFull(
  'D5 D12 "Clear browser cache" leaves nothing in the browser; the session is still there',
  async () => {
    const { page } = opened;
    await send(page, 'SCN:text');
    await entries(page, 'text', 'complete').waitFor();
    await rested(page);
    await page.reload();
    await connected(page);
    await entries(page, 'text', 'complete').waitFor();
    await page.getByRole('button', { name: 'Actions for p', exact: true }).click();
    await page.getByRole('menuitem', { name: /Clear browser cache/ }).click();
    const kept = () =>
      page.evaluate(
        () =>
          new Promise<number>((resolve, reject) => {
            const open = indexedDB.open('tugdeck.cache');
            open.onerror = () => reject(open.error);
            open.onsuccess = () => {
              const count = open.result
                .transaction('records')
                .objectStore('records')
                .index('project')
                .getAllKeys();
              count.onsuccess = () => {
                resolve(count.result.filter((key) => String(key).startsWith('window/')).length);
                open.result.close();
              };
            };
          }),
      );
    await expect.poll(kept).toBe(0);
    await reloadOffline(page);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await expect.poll(() => entries(page, 'text').count()).toBe(0);
    await goOnline(page);
    await entries(page, 'text', 'complete').waitFor();
  },
);
