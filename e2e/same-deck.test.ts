/**
 * The deck looks the same, to the pixel, after a reload and after the server was stopped or killed (D1, D5, D12); and several
 * browsers show the same deck.
 */

import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitGone } from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connected, type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';
/** Four browsers and two starts of a server, also on a busy machine. */
const LONG = 300_000;

let deck: Deck;
let opened: TestPage;

beforeAll(async () => {
  deck = await openDeck({ withoutAgent: true });
  opened = await deck.page();
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(words);
  await palette.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

/** Must be the same on every page: the list with its states, the number of requests, the count in the title. */
const shownState = (page: Page) =>
  page.evaluate(() => ({
    rows: [...document.querySelectorAll<HTMLElement>('.session')].map((row) =>
      [
        row.querySelector('.visually-hidden')?.textContent,
        row.querySelector('.truncate')?.textContent,
        row.dataset.unseen,
      ].join(' | '),
    ),
    projects: [...document.querySelectorAll('.project-name')].map((node) => node.textContent),
    inbox: document.querySelector('.inbox-button button')?.getAttribute('aria-label'),
    waiting: /^\(\d+\)/.exec(document.title)?.[0],
  }));

test.runIf(isFull)(
  'S5 D2 D7 M4 three browsers on one server stay in step, and equal a fresh load',
  async () => {
    const three = [await deck.page(), await deck.page(), await deck.page()] as const;
    const [a, b, c] = [three[0].page, three[1].page, three[2].page];
    const all = [a, b, c];
    const row = (page: Page, text: RegExp) =>
      page
        .getByRole('navigation', { name: 'Projects' })
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: text }) });
    const choose = async (page: Page, text: RegExp, choice: string) => {
      await row(page, text).hover();
      await row(page, text)
        .getByRole('button', { name: /^Actions for / })
        .click();
      await page.getByRole('menuitem', { name: choice }).click();
    };
    const inStep = async () => {
      await expect
        .poll(
          async () =>
            new Set((await Promise.all(all.map(shownState))).map((each) => JSON.stringify(each))).size,
        )
        .toBe(1);
      return shownState(a);
    };

    // A request is counted on all pages and answered on one; the others show that it was answered.
    await send(a, 'run echo three');
    for (const page of all) {
      await row(page, /Needs you.*run echo three/).waitFor();
      await expect.poll(() => page.title()).toMatch(/^\(1\) .* – Tugdeck$/);
    }
    await pressAnswer(
      c.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Allow', exact: true }),
    );
    await entries(a, 'text', 'complete').last().waitFor();
    await row(b, /Done.*run echo three/).waitFor();
    expect(await inStep()).toMatchObject({ title: 'Tugdeck', inbox: 'Inbox' });

    await choose(b, /run echo three/, 'Rename');
    await b.getByRole('textbox', { name: 'Title' }).fill('Three of them');
    await b.keyboard.press('Enter');
    for (const page of all) await row(page, /Three of them/).waitFor();
    await a.getByRole('tab', { name: /Three of them/ }).waitFor();

    for (const choice of ['Archive', 'Delete']) {
      await choose(c, /Three of them/, choice);
      for (const page of all) await row(page, /Three of them/).waitFor({ state: 'detached' });
      await a.getByRole('tab', { name: /Three of them/ }).waitFor({ state: 'detached' });
      await c.getByRole('button', { name: 'Undo' }).click();
      for (const page of all) await row(page, /Three of them/).waitFor();
    }

    // A turn that ended unseen is marked on all pages until one of them has shown it.
    await row(b, /Three of them/)
      .getByRole('link')
      .click();
    await send(b, 'run echo four');
    await b.getByRole('group', { name: /^Permission: / }).waitFor();
    await newSession(b);
    await a.getByRole('button', { name: 'Inbox: 1 session' }).click();
    const inbox = a.getByRole('group', { name: 'Inbox' });
    await pressAnswer(
      inbox.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Allow', exact: true }),
    );
    await inbox.getByText(/Done just now/).waitFor();
    for (const page of all) await page.getByRole('button', { name: 'Inbox: 1 session' }).waitFor();
    expect((await inStep()).rows.filter((text) => text.endsWith('true'))).toHaveLength(1);
    await row(c, /Three of them/)
      .getByRole('link')
      .click();
    for (const page of all) await page.getByRole('button', { name: 'Inbox', exact: true }).waitFor();

    const now = await inStep();
    const fresh = await deck.page();
    await expect.poll(() => shownState(fresh.page)).toEqual(now);
    for (const page of [...three, fresh]) {
      page.assertNoProblems();
      await page.close();
    }
  },
  LONG,
);

/** Every visible position, and every unsent draft. */
const picture = (page: Page) =>
  page.evaluate(() => {
    const place = (node: Element) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      return [x, y, width, height].map((length) => Math.round(length * 10) / 10).join(' ');
    };
    const all = (what: string) => [...document.querySelectorAll(what)];
    return {
      sidebar: document.querySelector('.shell')?.getAttribute('data-sidebar'),
      folded: all('.project-name').map((node) => node.getAttribute('aria-expanded')),
      groups: all('.dock-group:not([hidden])').map(
        (node) => `${place(node)} ${node.getAttribute('data-collapsed')} ${node.getAttribute('data-active')}`,
      ),
      tabs: all('[role=tab]').map(
        (node) => `${place(node)} ${node.getAttribute('aria-selected')} ${node.textContent}`,
      ),
      cards: all('.dock-card[data-visible=true]').map(
        (node) => `${place(node)} ${node.getAttribute('data-card')} ${getComputedStyle(node).zIndex}`,
      ),
      sashes: all('.sash').map(place),
      drafts: all('.dock-card[data-visible=true] textarea[aria-label=Message]').map(
        (node) => `${place(node)} ${(node as HTMLTextAreaElement).value}`,
      ),
      reading: all('.dock-card[data-visible=true] [role=log]').map((log) => {
        const { top } = log.getBoundingClientRect();
        const first = [...log.querySelectorAll('article')].find(
          (article) => article.getBoundingClientRect().bottom > top,
        );
        return `${first?.getAttribute('data-entry-id')} ${first && place(first)}`;
      }),
    };
  });

/** Waits until the layout is stable, which takes a few frames. */
async function stillPicture(page: Page): ReturnType<typeof picture> {
  let last = await picture(page);
  await expect
    .poll(async () => {
      const before = JSON.stringify(last);
      last = await picture(page);
      return JSON.stringify(last) === before;
    })
    .toBe(true);
  return last;
}

/** Today's tokens are read again only every few seconds, so a page that was just loaded is ahead of others. */
const WITHOUT_FIGURES = '.status-bar [title^="Used today"] { display: none; }';

const paint = async (page: Page) => {
  // The page's content policy blocks the style option of a screenshot.
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
  }, WITHOUT_FIGURES);
  const shot = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    mask: [page.locator('time')],
  });
  return shot.toString('base64');
};

/** The number of pixels with a different color, ignoring small differences in antialiasing. */
const differing = (page: Page, before: string, now: string) =>
  page.evaluate(
    async (shots) => {
      const [a, b] = await Promise.all(
        shots.map(async (shot) => {
          const bytes = Uint8Array.from(atob(shot), (letter) => letter.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context?.drawImage(image, 0, 0);
          return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
        }),
      );
      if (!a || !b || a.length !== b.length) return Number.POSITIVE_INFINITY;
      const others = new Set<number>();
      for (let at = 0; at < a.length; at++) {
        if (Math.abs((a[at] ?? 0) - (b[at] ?? 0)) > 32) others.add(at >> 2);
      }
      return others.size;
    },
    [before, now],
  );

async function stillPaint(page: Page): Promise<string> {
  let last = await paint(page);
  await expect
    .poll(async () => {
      const before = last;
      last = await paint(page);
      return differing(page, before, last);
    })
    .toBe(0);
  return last;
}

/** State that all browsers share: the layout and unsent drafts. */
const shape = (page: Page) =>
  page.evaluate(() => ({
    tabs: [...document.querySelectorAll('[role=tab]')].map(
      (node) => `${node.getAttribute('aria-selected')} ${node.textContent}`,
    ),
    groups: document.querySelectorAll('.dock-group').length,
    drafts: [...document.querySelectorAll<HTMLTextAreaElement>('textarea[aria-label=Message]')].map(
      ({ value }) => value,
    ),
  }));

test(
  'D1 D5 D12 a reload, a restart and a kill -9 bring back the same deck to the pixel, drafts included',
  async () => {
    const { page } = opened;
    const card = (name: RegExp) => page.getByRole('tabpanel', { name });
    await newSession(page);
    await send(page, 'flood 300');
    await entries(page, 'text', 'complete').first().waitFor();
    await rested(page);
    await card(/flood/).getByRole('textbox', { name: 'Message' }).fill('the first draft\nof two lines');
    await card(/flood/).getByRole('log').hover();
    await page.mouse.wheel(0, -1_500);
    await card(/flood/).getByRole('button', { name: 'Jump to latest' }).waitFor();
    await newSession(page);
    await command(page, 'split right');
    await card(/New session/)
      .getByRole('textbox', { name: 'Message' })
      .fill('another draft');
    await command(page, 'open git');
    await command(page, 'open files');
    await card(/Files/).getByText('notes.md').waitFor();
    await command(page, 'toggle floating');
    const sash = page.getByRole('separator').first();
    await sash.focus();
    await sash.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.project-name').click();
    await command(page, 'sidebar');

    // Late data has arrived: the agent's options and the git status.
    for (const name of [/flood/, /New session/])
      await card(name).locator('.pickers button').first().waitFor();
    await card(/Git/).getByText('Not a Git repository').waitFor();
    const before = await stillPicture(page);
    expect(before).toMatchObject({ sidebar: 'hidden', folded: ['false'] });
    expect(before.drafts.map((draft) => draft.split(' ').slice(4).join(' '))).toEqual([
      'the first draft\nof two lines',
      'another draft',
    ]);
    expect(before.cards.length).toBeGreaterThan(2);
    const shot = await stillPaint(page);
    const isSame = async () => {
      await expect.poll(() => picture(page)).toEqual(before);
      await expect.poll(async () => differing(page, shot, await paint(page))).toBe(0);
    };

    await page.reload();
    await connected(page);
    await isSame();
    await deck.killServer();
    await deck.startServer();
    await connected(page);
    await isSame();
    await page.reload();
    await isSame();
    if (!isFull) return;

    process.kill(deck.serverPid, 'SIGTERM');
    await waitGone(deck.serverPid);
    await deck.startServer();
    await connected(page);
    await isSame();
    await page.reload();
    await connected(page);
    await isSame();
    // Another browser starts with the state stored by the server.
    const other = await deck.page();
    await expect.poll(() => shape(other.page)).toEqual(await shape(page));
    other.assertNoProblems();
    await other.close();
  },
  LONG,
);
