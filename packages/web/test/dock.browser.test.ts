/** The dock in a real browser (D1, D3, D4, D5, D11): one page, whose cards must survive every layout change. */
import type { PageOptions } from '@tugdeck/testkit/browser';
import { swipeOn } from '@tugdeck/testkit/finger';
import { press, still } from '@tugdeck/testkit/frames';
import { isWhole } from '@tugdeck/testkit/whole';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

/** Only in the full tier: it needs a separate page. */
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');

const gallery = shareGallery();
const LOGIN = /Fix the failing login test/;
const LONG = /A very long history/;
const FONT = /Try another font/;

const open = (options?: PageOptions) => gallery.open('samples', options);
const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name });
const card = (page: Page, name: RegExp) => page.getByRole('tabpanel', { name });
const message = (panel: Locator) => panel.getByRole('textbox', { name: 'Message' });
const box = async (what: Locator) => (await what.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

async function openSessions(page: Page, ...names: RegExp[]): Promise<void> {
  for (const name of names) {
    // Keeps the tab (D48).
    await page.getByRole('link', { name }).dblclick();
    await card(page, name).waitFor();
  }
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(words);
  // Items listed before the query takes effect do not count.
  const chosen = palette.getByRole('option', { selected: true });
  await chosen.filter({ hasText: new RegExp(words, 'i') }).waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

/** Drags from the middle of one element to a point of another, in steps. */
async function drag(page: Page, from: Locator, to: Locator, at: { x: number; y: number }): Promise<void> {
  const [a, b] = [await box(from), await box(to)];
  await page.mouse.move(a.x + 30, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(a.x + 60, a.y + a.height / 2 + 10);
  // The drag code is loaded by the first press.
  await expect
    .poll(async () => {
      await page.mouse.move(b.x + b.width * at.x, b.y + b.height * at.y);
      await page.mouse.move(b.x + b.width * at.x + 1, b.y + b.height * at.y);
      return page.locator('.drop-hint').count();
    })
    .toBe(1);
  await page.mouse.up();
}

/** The rendered layout, to the pixel. */
const picture = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll('.dock-group:not([hidden]), .dock-card[data-visible=true], [role=tab]'),
    ].map((node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const state = `${node.getAttribute('aria-selected')} ${node.textContent?.slice(0, 20)}`;
      return [node.className, node.role === 'tab' ? state : '', x, y, width, height].join(' ');
    }),
  );

test('D18 a right click on a session opens its menu, which shows the session to the side', async () => {
  const page = await open();
  const toTheSide = async (name: RegExp) => {
    await page.getByRole('link', { name }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open to the side' }).click();
  };
  const isBeside = async (one: RegExp, other: RegExp) => {
    const [left, right] = [await box(card(page, one)), await box(card(page, other))];
    return right.width > 0 && right.x >= left.x + left.width;
  };
  // A tab over the session in front is moved, another session is opened.
  await openSessions(page, FONT);
  await toTheSide(FONT);
  await expect.poll(() => isBeside(LOGIN, FONT)).toBe(true);
  await toTheSide(LONG);
  await expect.poll(() => isBeside(FONT, LONG)).toBe(true);
  await expect.poll(() => page.getByRole('tab').count()).toBe(3);
});

test('D1 D5 cards keep their state when split, dragged, floated, maximized, collapsed, closed and reopened', async () => {
  const page = await open();
  await openSessions(page, LONG, FONT);
  await expect.poll(() => page.getByRole('tab').count()).toBe(3);

  // The card under test: it has a draft, a scroll position, and elements to compare.
  await tab(page, LONG).click();
  const long = card(page, LONG);
  await message(long).fill('not sent yet');
  const log = long.getByRole('log');
  await log.hover();
  await page.mouse.wheel(0, -3_000);
  await long.getByRole('button', { name: 'Jump to latest' }).waitFor();
  await log.evaluate((node) => Object.assign(window, { kept: node }));
  // The row at the top edge: it keeps its place when rows wrap in a narrower card.
  const seen = () =>
    log.evaluate((node) => {
      const { top } = node.getBoundingClientRect();
      const entry = [...node.querySelectorAll('article')].find(
        (each) => each.getBoundingClientRect().bottom > top,
      );
      return entry?.getAttribute('data-entry-id');
    });
  const stays = async () => {
    expect(await log.evaluate((node) => (window as unknown as { kept: unknown }).kept === node)).toBe(true);
    await expect.poll(() => message(long).inputValue()).toBe('not sent yet');
  };
  const before = await still(page, seen);

  await page.keyboard.press('Control+Backslash');
  await expect.poll(async () => (await box(long)).x).toBeGreaterThan(600);
  await expect.poll(() => card(page, FONT).isVisible()).toBe(true);
  await stays();

  await page.keyboard.press('Control+Alt+Shift+ArrowLeft');
  await expect.poll(async () => (await box(long)).x).toBeLessThan(300);
  await stays();

  await drag(page, tab(page, LONG), card(page, LONG), { x: 0.5, y: 0.9 });
  await expect.poll(async () => (await box(long)).y).toBeGreaterThan(300);
  await stays();
  await drag(page, tab(page, LOGIN), tab(page, LONG), { x: 0.9, y: 0.5 });
  await card(page, LOGIN).waitFor();
  await expect.poll(async () => (await box(tab(page, LOGIN))).y - (await box(tab(page, LONG))).y).toBe(0);
  await tab(page, LONG).click();

  const sash = page.getByRole('separator');
  await long.waitFor();
  const { height } = await still(page, () => box(long));
  await sash.focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(async () => (await box(long)).height).toBeGreaterThan(height);
  const bound = await still(page, () => box(sash));
  await page.mouse.move(bound.x + 200, bound.y + bound.height / 2);
  await page.mouse.down();
  await page.mouse.move(bound.x + 200, bound.y + 100);
  await page.mouse.up();
  await expect.poll(async () => (await box(long)).height).toBeLessThan(height - 50);

  await message(long).focus();
  await page.keyboard.press('Alt+Shift+M');
  // Below the top bar and its own tabs.
  await expect.poll(async () => (await box(long)).y).toBeLessThan(100);
  await expect.poll(() => card(page, FONT).count()).toBe(0);
  await page.keyboard.press('Alt+Shift+M');
  await card(page, FONT).waitFor();

  await command(page, 'toggle floating');
  await expect.poll(async () => (await box(long)).x).toBeGreaterThan(400);
  await stays();
  await command(page, 'toggle floating');
  await message(long).focus();
  await command(page, 'collapse');
  await long.waitFor({ state: 'hidden' });
  await tab(page, LONG).click();
  await long.waitFor();
  await stays();
  await expect.poll(() => seen()).toBe(before);

  await tab(page, FONT).click();
  await page.keyboard.press('Alt+Shift+W');
  await tab(page, FONT).waitFor({ state: 'hidden' });
  await page.keyboard.press('Alt+Shift+T');
  await card(page, FONT).waitFor();

  // With the failed session, which has no tab yet.
  await command(page, 'layout: grid');
  await expect.poll(async () => page.locator('.dock-group:visible').count()).toBe(4);
  await stays();
  const drawn = await still(page, () => picture(page));
  await page.reload();
  await expect.poll(() => picture(page)).toEqual(drawn);
  await command(page, 'layout: focus');
  await expect.poll(async () => page.locator('.dock-group:visible').count()).toBe(1);
  await command(page, 'undo layout change');
  await expect.poll(async () => page.locator('.dock-group:visible').count()).toBe(4);
});

test('D3 switching between three long conversations re-renders none and keeps their scroll positions', async () => {
  const page = await open();
  await page.evaluate(() => {
    for (const session of ['old', 'rest']) window.gallery.host(session).sayMany(5_000);
  });
  const names = [LONG, FONT, /New session/];
  await openSessions(page, ...names);
  const tops: number[] = [];
  const top = (name: RegExp) =>
    card(page, name)
      .getByRole('log')
      .evaluate((node) => node.scrollTop);
  for (const [at, name] of names.entries()) {
    await tab(page, name).click();
    await card(page, name).getByRole('log').hover();
    await page.mouse.wheel(0, -700 * (at + 1));
    await card(page, name).getByRole('button', { name: 'Jump to latest' }).waitFor();
  }
  for (const name of names) {
    await tab(page, name).click();
    tops.push(await still(page, () => top(name)));
  }
  // The benchmark measures the time of a switch; here every row must still be the same element.
  await page.evaluate(() => {
    for (const row of document.querySelectorAll('.dock-card article'))
      row.setAttribute('data-drawn', 'before');
  });
  for (const [at, name] of names.entries()) {
    await tab(page, name).click();
    await expect.poll(() => top(name)).toBe(tops[at]);
    await expect.poll(() => card(page, name).locator('article').count()).toBeGreaterThan(0);
    await expect.poll(() => card(page, name).locator('article:not([data-drawn])').count()).toBe(0);
  }
  // Text streamed into a hidden card is not rendered until it is shown.
  await tab(page, LONG).click();
  const changes = await page.evaluate(async () => {
    let count = 0;
    const watcher = new MutationObserver((found) => {
      count += found.length;
    });
    for (const hidden of document.querySelectorAll('.dock-card[data-visible=false] .entry-scroll')) {
      watcher.observe(hidden, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    // Waits until the changes of the switch itself are over.
    for (let quiet = 0; quiet < 20; quiet = count === 0 ? quiet + 1 : 0) {
      count = 0;
      await new Promise((done) => requestAnimationFrame(done));
    }
    count = 0;
    window.gallery.host('old').emit({
      kind: 'entry.opened',
      entry: { kind: 'text', id: 'while-hidden', status: 'complete', text: 'Said while nobody looked.' },
    });
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    watcher.disconnect();
    return count;
  });
  expect(changes).toBe(0);
  const taken = await page.evaluate(() => {
    const hidden = [...document.querySelectorAll<HTMLElement>('.dock-card[data-visible=false] textarea')];
    return hidden.map((box) => {
      box.focus();
      return box.checkVisibility({ visibilityProperty: true }) || document.activeElement === box;
    });
  });
  expect(taken.length).toBeGreaterThan(1);
  expect(taken).not.toContain(true);
  await tab(page, FONT).click();
  await card(page, FONT).getByRole('button', { name: '1 new' }).click();
  await card(page, FONT).getByText('Said while nobody looked.').waitFor();
});

test('D1 D4 the picker opens cards by letter; shortcuts are changed, checked and shown', async () => {
  const page = await open();
  await page.keyboard.press('Alt+Shift+N');
  const picker = page.getByRole('dialog', { name: 'New tab' });
  await picker.waitFor();
  await page.keyboard.press('c');
  await picker.waitFor({ state: 'hidden' });
  await expect.poll(() => page.getByRole('tab').count()).toBe(2);
  await expect
    .poll(() => page.evaluate(() => window.gallery.requests))
    .toMatchObject([{ type: 'session.create' }]);

  await command(page, 'keyboard shortcuts');
  const keyboard = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const close = keyboard.getByRole('button', { name: 'Change shortcut: Close tab', exact: true });
  await close.click();
  await page.keyboard.press('Control+j');
  await keyboard.getByText('is already used by').waitFor();
  await close.click();
  await page.keyboard.press('Alt+q');
  await expect.poll(() => close.textContent()).toBe('AltQ');
  await expect
    .poll(() => page.evaluate(() => window.gallery.requests.at(-1)))
    .toMatchObject({
      type: 'keys.save',
      keys: { 'card.close': 'Alt+Q' },
    });
  await keyboard.getByRole('button', { name: 'Close', exact: true }).click();
  await keyboard.waitFor({ state: 'hidden' });
  await page.keyboard.press('Alt+Shift+W');
  await page.keyboard.press('Alt+q');
  await expect.poll(() => page.getByRole('tab').count()).toBe(1);
  await page.keyboard.press('Control+k');
  await page
    .getByRole('option', { name: /Close tab/ })
    .getByText('Alt+Q')
    .waitFor();
  await page.keyboard.press('Escape');
});

test('D1 D2 an unreadable layout is replaced and kept; an archived session loses its card; an empty deck offers a start', async () => {
  const page = await open();
  // The URL names no session: the layout decides what is shown.
  await page.evaluate(() => {
    history.replaceState(null, '', '#/');
    addEventListener('pagehide', () => {
      sessionStorage.setItem('tugdeck.layout', '{"version": 99}');
      localStorage.setItem('tugdeck.layout', '{"version": 99}');
    });
  });
  await page.reload();
  await tab(page, LOGIN).waitFor();
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem('tugdeck.layout.unreadable')))
    .toBe('{"version": 99}');
  await openSessions(page, LONG);
  await page.evaluate(() => {
    const { deck } = window.gallery;
    const now = deck.get();
    const sessions = now?.sessions.map((row) => (row.id === 'long' ? { ...row, archived: true } : row));
    if (now && sessions) deck.set({ ...now, sessions });
  });
  await tab(page, LONG).waitFor({ state: 'hidden' });
  await tab(page, LOGIN).press('Delete');
  await page.getByRole('region', { name: 'Home' }).waitFor();
  await page.getByRole('button', { name: 'Search or run…' }).waitFor();
});

async function isInSight(page: Page, name: RegExp): Promise<boolean> {
  const [inFront, strip] = [
    await box(tab(page, name)),
    await box(page.getByRole('tablist', { name: 'Open tabs' })),
  ];
  const isWithin = inFront.x >= strip.x && inFront.x + inFront.width <= strip.x + strip.width;
  return inFront.width > 100 && isWithin;
}

test('D48 a click shows a session in a temporary tab, which the next click replaces; typing keeps it', async () => {
  const page = await open();
  const isTemporary = (name: RegExp) =>
    tab(page, name).evaluateAll(([node]) => (node as HTMLElement | undefined)?.dataset.temporary === 'true');
  const click = async (name: RegExp) => {
    await page.getByRole('link', { name }).click();
    await card(page, name).waitFor();
  };
  await tab(page, LOGIN).waitFor();
  await click(LONG);
  await expect.poll(() => isTemporary(LONG)).toBe(true);
  expect(await isTemporary(LOGIN)).toBe(false);
  await click(FONT);
  await expect.poll(() => page.getByRole('tab').allInnerTexts()).toHaveLength(2);
  await expect.poll(() => tab(page, LONG).count()).toBe(0);
  await message(card(page, FONT)).pressSequentially('a');
  await expect.poll(() => isTemporary(FONT)).toBe(false);
  await click(LONG);
  await expect.poll(() => page.getByRole('tab').count()).toBe(3);
  await tab(page, LONG).dblclick();
  await expect.poll(() => isTemporary(LONG)).toBe(false);
});

test('D1 the front tab stays visible when the window becomes narrow', async () => {
  const page = await open({ width: 1600, height: 800 });
  await openSessions(page, LONG, FONT);
  await expect.poll(() => isInSight(page, FONT)).toBe(true);
  await page.setViewportSize({ width: 730, height: 800 });
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(730);
  await expect.poll(() => isInSight(page, FONT)).toBe(true);
});

test('D8 a phone shows one card at a time, with a bottom bar', async () => {
  const page = await open({ width: 400, height: 800 });
  await page.getByRole('button', { name: 'Sessions' }).click();
  const list = page.getByRole('navigation', { name: 'Projects' });
  await list.getByRole('button', { name: 'Add project' }).waitFor();
  // The list leaves the bar as it is.
  for (const name of ['Home', 'Sessions', 'New', 'Inbox']) {
    const button = page.getByRole('navigation', { name: 'Go to' }).getByRole('button', { name });
    await expect.poll(() => button.evaluate(isWhole)).toBe(true);
  }
  await page.getByRole('link', { name: LONG }).click();
  await card(page, LONG).waitFor();
  const title = await box(page.locator('.phone-title'));
  expect((await box(page.locator('.phone-title-name'))).y).toBeGreaterThanOrEqual(title.y + 3);
  await expect.poll(() => page.getByRole('tabpanel').count()).toBe(1);
  await expect.poll(async () => (await box(card(page, LONG))).width).toBe(400);
  await page
    .getByRole('navigation', { name: 'Go to' })
    .getByRole('button', { name: 'New', exact: true })
    .waitFor();
  // No tab strip: a title, and a list of the open tabs.
  await expect.poll(() => page.getByRole('tablist', { name: 'Open tabs' }).count()).toBe(0);
  for (const name of [LOGIN, LONG]) {
    await page.getByRole('button', { name: '2 open tabs' }).click();
    await page.getByRole('menuitemradio', { name }).click();
    await card(page, name).waitFor();
  }
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Session info' }).waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.gallery.host('long').emit(...window.samples.openRequests().slice(0, 1)));
  const allow = page.getByRole('button', { name: 'Allow', exact: true }).first();
  await press(allow);
  await expect.poll(() => page.evaluate(() => window.gallery.host('long').sent.length)).toBe(1);
});

test('D7 in a narrow inbox the title has the whole first line', async () => {
  const page = await open({ width: 390, height: 800 });
  await page.evaluate(() => {
    const deck = window.gallery.deck.get();
    if (!deck) return;
    const summary = { v: 1, agentState: 'idle', turn: 'idle', waiting: 0, entries: 2, changedAt: 1 } as const;
    const [first, ...rest] = deck.sessions.filter(({ id }) => id === 'long' || id === 'samples').reverse();
    if (!first) return;
    const done = { ...first, summary: { ...summary, lastTurn: 'completed' as const } };
    window.gallery.deck.set({ ...deck, sessions: [done, ...rest] });
  });
  await page
    .getByRole('navigation', { name: 'Go to' })
    .getByRole('button', { name: /^Inbox/ })
    .click();
  const item = page.getByRole('group', { name: 'Inbox' }).getByRole('listitem');
  const title = item.getByRole('link', { name: LONG });
  const button = item.getByRole('button', { name: 'Mark as seen' });
  await button.waitFor();
  await expect.poll(() => title.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
  const [above, below] = [await box(title), await box(button)];
  expect(above.width).toBeGreaterThan(300);
  expect(below.y).toBeGreaterThanOrEqual(above.y + above.height);
});

test('D8 on a phone a swipe to the right goes back to Home, except over what scrolls sideways; the keyboard of Safari covers nothing', async () => {
  const page = await gallery.open('rest', { isOwn: true, isPhone: true, width: 390, height: 844 });
  await page.evaluate(() => {
    const code = `\`\`\`\n${'wide '.repeat(80)}\n\`\`\``;
    const entry = { kind: 'text', id: 'wide', status: 'complete', text: `Plain words\n\n${code}` } as const;
    window.gallery.host('rest').emit({ kind: 'entry.opened', entry });
  });
  const log = page.getByRole('log', { name: 'Conversation' });
  const home = page.getByRole('region', { name: 'Home' });
  const swipe = await swipeOn(page);
  const code = await box(log.locator('pre'));
  const words = await box(log.getByText('Plain words'));
  await swipe({ x: 100, y: code.y + code.height / 2 }, { x: 300, y: code.y + code.height / 2 });
  await swipe({ x: 100, y: words.y }, { x: 300, y: words.y + 150 });
  await swipe({ x: 300, y: words.y }, { x: 100, y: words.y });
  expect(await page.evaluate(() => location.hash)).toBe('#/session/rest');
  // Stands for Safari, which leaves the page's height as it is.
  const composer = page.getByRole('textbox', { name: 'Message' });
  const cover = (height: number) =>
    page.evaluate((covered) => {
      const viewport = window.visualViewport as VisualViewport;
      Object.defineProperty(viewport, 'height', { get: () => innerHeight - covered, configurable: true });
      viewport.dispatchEvent(new Event('resize'));
    }, height);
  const bottom = async () => {
    const { y, height } = await box(composer);
    return y + height;
  };
  await cover(336);
  await expect.poll(bottom).toBeLessThan(844 - 336);
  await page.getByRole('navigation', { name: 'Go to' }).waitFor({ state: 'hidden' });
  await cover(0);
  await expect.poll(bottom).toBeGreaterThan(844 - 336);
  await swipe({ x: 100, y: words.y }, { x: 300, y: words.y + 10 });
  await home.waitFor();
});

testFull('D2 follows a URL that changes during the first render', async () => {
  const page = await gallery.open('samples', {
    isOwn: true,
    prepare: (fresh) =>
      fresh.addInitScript(() => {
        const post = MessagePort.prototype.postMessage;
        const held: (() => void)[] = [];
        // React schedules with messages: it renders nothing before the URL has changed.
        MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
          held.push(() => post.call(this, message));
        };
        addEventListener('DOMContentLoaded', () => {
          location.hash = '#/session/long';
        });
        addEventListener('hashchange', () => {
          MessagePort.prototype.postMessage = post;
          for (const go of held.splice(0)) go();
        });
      }),
  });
  await card(page, LONG).waitFor();
});
