/** The page in a real browser, over the gallery: real views, real decide and fold, no server. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { atRest, frames, press, still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

/** Only in the full tier: covered by a faster test as well, or too slow here. */
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
const gallery = shareGallery();
const open = gallery.open;

const run = (page: Page) =>
  page.evaluate(() => window.gallery.host('samples').emit(...window.samples.runningChanges()));
const ask = (page: Page) =>
  page.evaluate(() => window.gallery.host('samples').emit(...window.samples.openRequests()));
const sent = (page: Page, session = 'samples') =>
  page.evaluate((id) => window.gallery.host(id).sent, session);
const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });
const place = (page: Page) =>
  log(page).evaluate((node) => ({
    top: node.scrollTop,
    left: node.scrollHeight - node.scrollTop - node.clientHeight,
  }));

test('C18 the main controls have their accessible names', async () => {
  const page = await open('samples');
  const nav = page.getByRole('navigation', { name: 'Projects' });
  await nav.getByRole('button', { name: 'Add project' }).waitFor();
  await nav.getByRole('button', { name: 'New session' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).and(page.locator('.round')).waitFor();
  await page.getByRole('tab', { name: /Fix the failing login test/ }).waitFor();
  await expect.poll(() => page.getByRole('status', { name: 'Connection' }).textContent()).toBe('Connected');
  await expect.poll(() => log(page).getAttribute('aria-live')).toBe('off');
  const article = log(page).locator('article[data-entry-id="q0"]');
  await article.waitFor();
  await expect.poll(() => article.getAttribute('data-entry-kind')).toBe('question');
  await expect.poll(() => article.getAttribute('data-status')).toBe('complete');

  await nav.getByRole('button', { name: 'Add project' }).click();
  await page.getByRole('dialog', { name: 'Add project' }).getByRole('textbox', { name: 'Path' }).waitFor();
  await page.keyboard.press('Escape');
  await nav.getByRole('button', { name: 'New session' }).click();
  await page.getByRole('region', { name: 'New session' }).waitFor();
  await page.getByRole('button', { name: /^Project: / }).waitFor();
  await page.getByRole('button', { name: /^Agent: / }).click();
  await page.getByRole('menuitem', { name: 'Add agent…' }).waitFor();
  await page.getByRole('menuitemradio', { name: /^Demo/ }).click();
  await page.getByRole('button', { name: 'Agent: Demo' }).waitFor();
  await expect
    .poll(() => page.evaluate(() => window.gallery.requests))
    .toMatchObject([{ type: 'session.create', later: true, agent: 'demo' }]);

  await page.evaluate(() => window.gallery.status.set({ state: 'offline', attempt: 1 }));
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByRole('button', { name: 'Reconnect' }).waitFor({ state: 'detached' });
});

test.each([225, 700, 1280])('D43 the examples are as wide as the message box (%i px)', async (width) => {
  const page = await open('samples');
  await page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('button', { name: 'New session' })
    .click();
  const examples = page.getByRole('region', { name: 'New session' }).getByRole('list');
  await examples.waitFor();
  await page.setViewportSize({ width, height: 800 });
  const edges = (node: Element) => {
    const { left, right } = node.getBoundingClientRect();
    return [Math.round(left), Math.round(right)];
  };
  const composer = page.locator('.composer-box').filter({ visible: true });
  for (const list of [examples, examples.getByRole('listitem').first()]) {
    const [[left], [boxLeft = 0, boxRight = 0]] = [
      await list.evaluate(edges),
      await composer.evaluate(edges),
    ];
    expect(left).toBe(boxLeft);
    await expect.poll(async () => (await list.evaluate(edges))[1]).toBeLessThanOrEqual(boxRight);
  }
});

test('C18 a request of each kind has its accessible names', async () => {
  const page = await open('samples', { height: 2400 });
  await ask(page);
  const permission = page.getByRole('group', { name: 'Permission: Bash' });
  for (const name of ['Allow', 'Deny', 'Always allow'])
    await permission.getByRole('button', { name, exact: true }).waitFor();
  const question = page.getByRole('form', { name: 'Question' });
  await question.getByRole('radio', { name: 'Keep it', exact: true }).waitFor();
  await question.getByRole('checkbox', { name: 'Unit tests', exact: true }).waitFor();
  await question.getByRole('button', { name: 'Submit' }).waitFor();
  const plan = page.getByRole('group', { name: 'Plan' });
  await plan.getByRole('button', { name: 'Approve' }).waitFor();
  await plan.getByRole('button', { name: 'Keep planning' }).waitFor();
});

test.each(IS_FULL ? [400, 1280] : [1280])(
  'C6 a request takes no focus and does not move the composer (%i px)',
  async (width) => {
    const page = await open('samples', { width });
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.focus();
    const before = await still(page, () => box.boundingBox());
    await ask(page);
    await page
      .getByRole('group', { name: 'Permission: Bash' })
      .waitFor({ state: 'attached' })
      .catch(() => undefined);
    await page.getByText('Needs you: Run a command in ~/app').first().waitFor();
    expect(await box.boundingBox()).toEqual(before);
    await expect.poll(() => box.evaluate((node) => node === document.activeElement)).toBe(true);
    await page.keyboard.type('yna');
    await expect.poll(() => box.inputValue()).toBe('yna');
    expect(await sent(page)).toEqual([]);
  },
);

test('C24 keys answer with the focus in the request, not in the first 400 ms, and carry what was shown', async () => {
  const page = await open('samples', { height: 1600, isOwn: true });
  // The clock is stopped: keys typed now are within the 400 ms.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.evaluate(() =>
    window.gallery
      .host('samples')
      .emit({ kind: 'entry.opened', entry: window.samples.permission('p1', 'Run it') }),
  );
  const group = page.getByRole('group', { name: 'Permission: Bash' });
  // React renders in real time, rows use the page's clock: the delay starts here.
  const draw = async () => {
    await page.clock.runFor(20);
    return group.count();
  };
  await expect.poll(draw).toBe(1);
  await page.clock.runFor(100);
  await group.focus();
  await page.keyboard.press('y');
  await page.keyboard.press('Enter');
  expect(await sent(page)).toEqual([]);
  await page.clock.runFor(400);
  await page.keyboard.press('Enter');
  expect(await sent(page)).toEqual([]);
  await page.keyboard.press('y');
  await expect
    .poll(() => sent(page))
    .toMatchObject([
      {
        kind: 'request.answer',
        entry: 'p1',
        shown: 'shown-p1',
        answer: { type: 'permission', behavior: 'allow', option: 'once' },
      },
    ]);
  await page.clock.runFor(100);
  await group.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('[data-entry-id=p1]').textContent()).toContain('Allowed');
});

test('C24 typing or clicking while requests appear, change and disappear answers none', async () => {
  const page = await open('samples', { height: 1600, isOwn: true });
  await page.clock.install();
  // The clock is stopped: everything now happens within the first 400 ms.
  await page.clock.pauseAt(Date.now() + 60_000);
  const emit = (step: 'open' | 'change' | 'replace', id: string) =>
    page.evaluate(
      ([what, name]) => {
        const { samples } = window;
        const host = window.gallery.host('samples');
        const request = (of: string) => samples.permission(of, `Run ${of}`);
        if (what === 'replace')
          host.emit({ kind: 'request.settled', entry: `${name}-old`, status: 'withdrawn' });
        if (what !== 'change') host.emit({ kind: 'entry.opened', entry: request(name) });
        else {
          host.emit({ kind: 'request.settled', entry: name, status: 'withdrawn' });
          host.emit({ kind: 'entry.opened', entry: { ...request(`${name}2`) } });
        }
      },
      [step, id] as const,
    );
  const answers = async () =>
    (await sent(page)).flatMap((command) => (command.kind === 'request.answer' ? [command.entry] : []));
  const box = page.getByRole('textbox', { name: 'Message' });
  const groups = page.getByRole('group', { name: 'Permission: Bash' });
  const pressKeys = async () => {
    for (const key of ['y', 'Y', 'Enter', 'Space', 'n', 'a', 'Escape']) await page.keyboard.press(key);
  };
  /** The last request is this one, drawn for at most 20 ms of the page's time. */
  const drawn = (id: string) =>
    expect
      .poll(async () => {
        await page.clock.runFor(20);
        return groups.and(page.locator(`[data-request="${id}"]`)).count();
      })
      .toBe(1);

  // Types in the composer, in the list and without focus, before and after it appears, changes and is replaced.
  for (const [step, id, last] of [
    ['open', 'k1', 'k1'],
    ['change', 'k1', 'k12'],
    ['open', 'k2-old', 'k2-old'],
    ['replace', 'k2', 'k2'],
  ] as const) {
    await box.fill('');
    await box.focus();
    await page.keyboard.type('so ');
    await emit(step, id);
    await page.keyboard.type('yes y n ');
    await drawn(last);
    await page.keyboard.type('a y');
    await expect.poll(() => box.inputValue()).toBe('so yes y n a y');
    await log(page).focus();
    await pressKeys();
    await groups.last().focus();
    await pressKeys();
    await groups.last().getByRole('button', { name: 'Allow', exact: true }).focus();
    await pressKeys();
    expect(await answers()).toEqual([]);
  }

  // A click at the position of the button in the moment it appears there.
  await page.clock.runFor(500);
  const allow = groups.last().getByRole('button', { name: 'Allow', exact: true });
  await allow.scrollIntoViewIfNeeded();
  const place = await allow.boundingBox();
  const at = { x: (place?.x ?? 0) + 10, y: (place?.y ?? 0) + 10 };
  const clickThere = () => page.mouse.click(at.x, at.y);
  await emit('open', 'later-old');
  await emit('replace', 'later');
  await drawn('later');
  for (const name of ['Allow', 'Deny']) {
    const where = await groups.last().getByRole('button', { name, exact: true }).boundingBox();
    await page.mouse.click((where?.x ?? 0) + 8, (where?.y ?? 0) + 8);
  }
  await clickThere();
  const fresh = await groups.last().getAttribute('aria-disabled');
  expect({ fresh, answers: (await answers()).filter((entry) => entry === 'later') }).toEqual({
    fresh: 'true',
    answers: [],
  });
});

test('C24 a click meant for the first request does not answer the second', async () => {
  const page = await open('rest', { height: 1000, isOwn: true });
  await page.clock.install();
  await page.evaluate(() => {
    for (const id of ['d1', 'd2'])
      window.gallery
        .host('rest')
        .emit({ kind: 'entry.opened', entry: window.samples.permission(id, `Run ${id}`) });
  });
  const groups = page.getByRole('group', { name: 'Permission: Bash' });
  await groups.nth(1).waitFor();
  // Both can be answered before time stands still: their first moments are over.
  await expect.poll(() => page.locator('[data-request][aria-disabled]').count()).toBe(0);
  await page.clock.pauseAt(Date.now() + 60_000);
  const answered = async () =>
    (await sent(page, 'rest')).flatMap((command) =>
      command.kind === 'request.answer' ? [command.entry] : [],
    );
  const first = groups.first().getByRole('button', { name: 'Allow', exact: true });
  await first.click();
  await page.clock.runFor(50);
  await expect.poll(() => groups.count()).toBe(1);
  // The second request has moved up and is not answered yet.
  const second = await groups.first().getByRole('button', { name: 'Allow', exact: true }).boundingBox();
  await page.mouse.click((second?.x ?? 0) + 8, (second?.y ?? 0) + 8);
  await expect.poll(() => answered()).toEqual(['d1']);
  // From here on it does not move; its position is checked before the delay starts.
  await atRest(groups.first());
  await page.clock.runFor(100);
  await page.clock.runFor(500);
  await groups.first().getByRole('button', { name: 'Allow', exact: true }).click();
  await expect.poll(() => answered()).toEqual(['d1', 'd2']);
});

test('C24 buttons wait for the host; Always allow shows its rule; Deny takes a reason', async () => {
  const page = await open('samples', { height: 2400 });
  await page.evaluate(() =>
    window.gallery
      .host('samples')
      .emit({ kind: 'entry.opened', entry: window.samples.permission('p1', 'Run it') }),
  );
  const group = page.getByRole('group', { name: 'Permission: Bash' });
  await page.evaluate(() => {
    window.gallery.host('samples').isHolding = true;
  });
  await press(group.getByRole('button', { name: 'Always allow' }));
  const item = page.getByRole('menuitem', { name: /Allow npm publish in this project/ });
  await expect.poll(() => item.textContent()).toContain('Bash(npm publish:*) · in .agent/settings.json');
  await item.click();
  for (const name of ['Allow', 'Deny', 'Always allow']) {
    await expect.poll(() => group.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
  }
  await expect.poll(() => page.locator('[data-entry-id=p1]').getAttribute('data-status')).toBe('partial');
  await page.evaluate(() => window.gallery.host('samples').release());
  await group.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('[data-entry-id=p1]').textContent()).toContain('Always allowed');

  await page.evaluate(() =>
    window.gallery
      .host('samples')
      .emit({ kind: 'entry.opened', entry: window.samples.permission('p2', 'Run again') }),
  );
  await press(group.getByRole('button', { name: 'Add feedback…' }));
  await group.getByRole('textbox', { name: 'Feedback' }).fill('not today');
  await page.keyboard.press('Enter');
  await group.waitFor({ state: 'detached' });
  await expect
    .poll(async () => (await sent(page)).at(-1))
    .toMatchObject({ answer: { behavior: 'deny', option: 'no', message: 'not today' } });
});

test('C6 a started answer stays when its request is scrolled out of view', async () => {
  const page = await open('long');
  const emit = (id: string) =>
    page.evaluate(
      (entry) =>
        window.gallery
          .host('long')
          .emit({ kind: 'entry.opened', entry: window.samples.permission(entry, 'Run it') }),
      id,
    );
  await emit('begun');
  const group = page.getByRole('group', { name: 'Permission: Bash' });
  await press(group.getByRole('button', { name: 'Add feedback…' }));
  await group.getByRole('textbox', { name: 'Feedback' }).fill('not today');
  const log = page.getByRole('log');
  await log.hover();
  await page.mouse.wheel(0, -6_000);
  await expect
    .poll(() => group.evaluate((node) => node.getBoundingClientRect().top > innerHeight))
    .toBe(true);
  await page.getByRole('button', { name: /Jump to latest|new$/ }).click();
  await expect.poll(() => group.getByRole('textbox', { name: 'Feedback' }).inputValue()).toBe('not today');
});

test('C7 C8 questions and plans are answered, and the answers stay', async () => {
  const page = await open('samples', { height: 2400 });
  await ask(page);
  const form = page.getByRole('form', { name: 'Question' });
  await atRest(form);
  const submit = form.getByRole('button', { name: 'Submit' });
  await form.getByRole('radio', { name: 'Keep it', exact: true }).check();
  await expect.poll(() => submit.isDisabled()).toBe(true);
  // The chosen answer has room for a note, so that the next question moves.
  const other = form.getByRole('checkbox', { name: 'Other', exact: true });
  await atRest(other);
  await other.check();
  await form.getByRole('textbox', { name: 'Other answer' }).fill('a note');
  await press(submit);
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('[data-entry-id=q1]').textContent()).toContain('a note');
  const plan = page.getByRole('group', { name: 'Plan' });
  // The answered question takes less room, so that the plan moves.
  await press(plan.getByRole('button', { name: 'Edit' }));
  await plan.getByRole('textbox', { name: 'Plan text' }).fill('1. Only the cookie');
  await press(plan.getByRole('button', { name: 'Approve' }));
  await page.getByText('Plan approved as edited, Accept edits').waitFor();
  await expect
    .poll(async () => (await sent(page)).map((command) => 'answer' in command && command.answer))
    .toMatchObject([
      { type: 'question', answers: { q1: { choices: ['Keep it'] }, q2: { choices: [], other: 'a note' } } },
      { type: 'plan', approve: true, mode: 'edits', plan: '1. Only the cookie' },
    ]);
});

test('C9 the composer sends, inserts line breaks, ignores blank text, grows to 45 % of the window and recalls messages', async () => {
  const page = await open('rest');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.click();
  expect(await page.evaluate(() => window.gallery.host('rest').woken)).toBe(0);
  await page.keyboard.type('   ');
  await expect.poll(() => page.evaluate(() => window.gallery.host('rest').woken)).toBeGreaterThan(0);
  await page.keyboard.press('Enter');
  expect(await sent(page, 'rest')).toEqual([]);
  await box.fill('first');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second');
  await expect.poll(() => box.inputValue()).toBe('first\nsecond');
  await page.keyboard.press('Enter');
  await expect.poll(() => box.inputValue()).toBe('');
  await expect.poll(() => sent(page, 'rest')).toMatchObject([{ kind: 'prompt.send', text: 'first\nsecond' }]);
  await page.locator('[data-entry-kind=user]').waitFor();
  const height = async (lines: number) => {
    await box.fill(Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n'));
    return still(page, async () => (await box.boundingBox())?.height ?? 0);
  };
  const [one, two, ten, most] = [await height(1), await height(2), await height(10), await height(60)];
  expect(two).toBe(one);
  expect(ten - two).toBe(8 * 24);
  const composer = await page.locator('.composer-box').boundingBox();
  const windowHeight = page.viewportSize()?.height ?? 0;
  expect(most).toBeGreaterThan(ten);
  expect(composer?.height).toBeLessThanOrEqual(0.45 * windowHeight + 12);
  await box.fill('');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => box.inputValue()).toBe('first\nsecond');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => box.inputValue()).toBe('');
});

test('C9 C10 messages sent during a turn are queued, edited, moved and withdrawn, and Esc stops', async () => {
  const page = await open('samples');
  await run(page);
  const queue = page.getByRole('list', { name: 'Queued messages' });
  await expect.poll(() => queue.getByRole('listitem').count()).toBe(2);
  await page.getByRole('textbox', { name: 'Message' }).fill('third');
  await page.getByRole('button', { name: 'Queue', exact: true }).click();
  await expect.poll(() => queue.getByRole('listitem').count()).toBe(3);
  await queue.getByRole('listitem').last().getByRole('button', { name: 'Move up' }).click();
  await expect.poll(() => queue.getByRole('listitem').nth(1).textContent()).toContain('third');
  await queue.getByRole('listitem').first().getByRole('button', { name: 'Remove message' }).click();
  await expect.poll(() => queue.getByRole('listitem').count()).toBe(2);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await sent(page)).at(-1)).toMatchObject({ kind: 'turn.cancel' });
  await expect.poll(() => page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
});

test('C9 a draft is kept per session and across a reload', async () => {
  const page = await open('rest');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('half a thought');
  await page.getByRole('link', { name: /A very long history/ }).click();
  await log(page).waitFor();
  await expect.poll(() => box.inputValue()).toBe('');
  await page.goBack();
  await expect.poll(() => box.inputValue()).toBe('half a thought');
  await page.reload();
  await expect.poll(() => box.inputValue()).toBe('half a thought');
});

test('C11 follows the end, stops when scrolled up, counts new rows, and returns', async () => {
  const page = await open('long');
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
  const emit = (id: string) =>
    page.evaluate((name) => {
      const text = `${name} `.repeat(60);
      window.gallery
        .host('long')
        .emit({ kind: 'entry.opened', entry: { kind: 'text', id: name, status: 'complete', text } });
    }, id);
  await emit('n1');
  await page.locator('[data-entry-id=n1]').waitFor();
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);

  await log(page).hover();
  await page.mouse.wheel(0, -700);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  const before = await still(page, () => place(page));
  await emit('n2');
  await emit('n3');
  const button = page.getByRole('button', { name: '2 new' });
  await button.waitFor();
  expect((await still(page, () => place(page))).top).toBe(before.top);
  await button.click();
  await page.locator('[data-entry-id=n3]').waitFor();
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
});

test('C11 nothing jumps when older entries load while scrolling', async () => {
  const page = await open('long');
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
  const start = await page.evaluate(() => window.gallery.host('long').loaded);
  await log(page).hover();
  const firstRow = () =>
    log(page).evaluate((node) => {
      const edge = node.getBoundingClientRect().top;
      const rows = [...node.querySelectorAll<HTMLElement>('article')];
      return Number(rows.find((row) => row.getBoundingClientRect().bottom > edge)?.dataset.entryId?.slice(1));
    });
  // One wheel step is 900 px, about fifteen rows; a lost page would be a hundred.
  const steps: number[] = [];
  let before = await firstRow();
  const loaded = () => page.evaluate(() => window.gallery.host('long').loaded);
  while (steps.length < 30 && (await loaded()) <= start + 200) {
    await page.mouse.wheel(0, -900);
    await frames(page, 4);
    const now = await firstRow();
    steps.push(before - now);
    before = now;
  }
  await expect.poll(() => loaded()).toBeGreaterThan(start + 200);
  expect(Math.max(...steps)).toBeLessThan(40);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
  await expect.poll(() => page.locator('article').count()).toBeLessThan(60);
});

test('C11 C17 drops entries far above without a jump when following, and loads them again', async () => {
  const page = await open('long');
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
  await page.evaluate(() => {
    const host = window.gallery.host('long');
    host.keeps = 60;
    const entry = { kind: 'text', id: 'e10000', status: 'partial', text: 'It streams. ' } as const;
    host.emit(
      { kind: 'turn.started', turn: 't1', origin: 'user', prompts: [] },
      { kind: 'entry.opened', entry },
    );
  });
  const loaded = () => page.evaluate(() => window.gallery.host('long').loaded);
  const stream = () =>
    page.evaluate(() => window.gallery.host('long').stream('e10000', 'And more of the same. '.repeat(20)));
  await log(page).hover();
  const start = await loaded();
  while ((await loaded()) < start + 100) {
    await page.mouse.wheel(0, -900);
    await stream();
    await frames(page);
  }
  await page.getByRole('button', { name: /Jump to latest|new/ }).click();
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
  await page.evaluate(() => {
    window.gallery.host('long').emit({ kind: 'entry.closed', entry: 'e10000', status: 'complete' });
  });
  await still(page, () => place(page));
  const { fromEnd, rows } = await log(page).evaluate(async (node) => {
    const seen: number[] = [];
    window.gallery.host('long').emit({ kind: 'turn.ended', turn: 't1', endedBy: 'completed' });
    for (let left = 20; left > 0; left--) {
      // After the frame: rows are measured and the position is corrected at its end.
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const last = node.querySelector('[data-entry-id=e10000]')?.getBoundingClientRect().bottom ?? Number.NaN;
      seen.push(Math.round(node.getBoundingClientRect().bottom - last));
    }
    return { fromEnd: seen, rows: window.gallery.host('long').loaded };
  });
  expect(rows).toBe(60);
  expect(new Set(fromEnd).size).toBe(1);
  const walked = await log(page).evaluate(async (node) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const seen = new Set<number>();
    const jumps: number[] = [];
    node.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
    for (let step = 0; step < 30; step++) {
      const edge = node.getBoundingClientRect();
      const drawn = [...node.querySelectorAll<HTMLElement>('article')];
      for (const row of drawn) seen.add(Number(row.dataset.entryId?.slice(1)));
      const anchor = drawn.find((row) => row.getBoundingClientRect().top >= edge.top);
      const top = anchor?.getBoundingClientRect().top ?? 0;
      node.scrollTop -= 200;
      for (let left = 3; left > 0; left--) await frame();
      if (anchor?.isConnected) jumps.push(Math.round(anchor.getBoundingClientRect().top - top - 200));
    }
    return { seen: [...seen].sort((a, b) => b - a), jumps };
  });
  expect(new Set(walked.jumps)).toEqual(new Set([0]));
  expect(walked.seen.length).toBeGreaterThan(60);
  expect(walked.seen).toEqual(walked.seen.map((_, at) => 10_000 - at));
  await expect.poll(() => loaded()).toBeGreaterThan(60);
});

test('C2 C10 streamed text does not re-render settled blocks', async () => {
  const page = await open('samples');
  await run(page);
  const prose = page.locator('[data-entry-id=t9] .prose');
  await page.evaluate(() => window.gallery.host('samples').stream('t9', 'are **green**.\n\nNext: '));
  await expect.poll(() => prose.locator('strong').textContent()).toBe('green');
  await prose
    .locator('p')
    .first()
    .evaluate((node) => node.setAttribute('data-kept', 'yes'));
  await page.evaluate(() => window.gallery.host('samples').stream('t9', 'the docs.'));
  await expect.poll(() => prose.textContent()).toContain('Next: the docs.');
  await expect.poll(() => prose.locator('p').first().getAttribute('data-kept')).toBe('yes');
  await page.evaluate(() =>
    window.gallery.host('samples').emit({ kind: 'entry.closed', entry: 't9', status: 'cancelled' }),
  );
  await page.locator('[data-entry-id=t9]').getByText('Interrupted').waitFor();
});

test('M5 the user resends or drops a message with unknown delivery', async () => {
  const page = await open('samples');
  const doubted = page.locator('[data-entry-id=u3]');
  await expect.poll(() => doubted.textContent()).toContain('May not have been delivered');
  await press(doubted.getByRole('button', { name: 'Send again' }));
  await doubted.getByText('sending').waitFor();
  const failed = page.locator('[data-entry-id=u4]');
  await expect.poll(() => failed.textContent()).toContain('Not delivered');
  await press(failed.getByRole('button', { name: 'Discard' }));
  await failed.getByText('Discarded').waitFor();
});

testFull('C14 C15 requests model and mode, and restarts a failed agent', async () => {
  const page = await open('samples');
  await page.getByRole('button', { name: /^Model/ }).click();
  await page.getByRole('menuitemradio', { name: /Small/ }).click();
  await page.getByRole('button', { name: 'Model: Small' }).waitFor();
  await expect
    .poll(() => sent(page))
    .toMatchObject([{ kind: 'session.configure', option: 'model', value: 'small' }]);
  await page.getByRole('link', { name: /Rename things/ }).click();
  await page.getByText('Sample agent stopped (exit 1).').waitFor();
  await page.getByRole('button', { name: 'Restart agent' }).click();
  await expect.poll(() => sent(page, 'failed')).toMatchObject([{ kind: 'agent.restart' }]);
});

test('D10 an error in an entry stays inside it', async () => {
  const page = await open('samples');
  await page.evaluate(() => {
    const broken = {
      kind: 'tool',
      id: 'broken',
      status: 'complete',
      title: 'x',
      name: 'x',
      toolKind: 'shell',
      state: 'done',
      diff: 7,
    };
    window.gallery.host('samples').emit({ kind: 'entry.opened', entry: broken as never });
    window.gallery.host('samples').emit({
      kind: 'entry.opened',
      entry: { kind: 'text', id: 'after', status: 'complete', text: 'still here' },
    });
  });
  await page.getByText('still here').waitFor();
  await page.locator('[data-entry-id=broken]').getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('continues');
  await expect.poll(() => gallery.problems.length).toBeGreaterThan(0);
  gallery.forgive();
});

test('D3 D11 closing a card stops nothing, and switching keeps the scroll position', async () => {
  const page = await open('long');
  await expect.poll(async () => (await place(page)).left).toBeLessThan(2);
  await log(page).hover();
  await page.mouse.wheel(0, -1500);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  const before = await still(page, () => place(page));
  await page.getByRole('link', { name: /Fix the failing/ }).click();
  await page.locator('[data-entry-id=u4]').waitFor();
  await page.getByRole('tab', { name: /A very long history/ }).click();
  await page.locator('[data-entry-id^=e99]').first().waitFor();
  await expect.poll(async () => Math.abs((await place(page)).top - before.top)).toBeLessThan(3);
  await page.getByRole('tab', { name: /A very long history/ }).press('Delete');
  await page.locator('[data-entry-id=u4]').waitFor();
  await expect.poll(() => page.getByRole('tab').count()).toBe(1);
  expect(await page.evaluate(() => window.gallery.requests)).toEqual([]);
});

test('D9 axe finds no serious violation, dark and light; one live region announces each state change', async () => {
  const page = await open('samples', { height: 2400 });
  const spoken = page.locator('.dock-card[data-visible=true] [aria-live=polite]');
  await expect.poll(() => spoken.count()).toBe(1);
  await run(page);
  await expect.poll(() => spoken.textContent()).toBe('Sample agent is working.');
  await ask(page);
  await expect.poll(() => spoken.textContent()).toMatch(/^Sample agent needs you: .+\.$/);
  await page.getByRole('group', { name: 'Plan' }).waitFor();
  await page.evaluate(await readFile(AXE, 'utf8'));
  // The themes differ only in colors: only those are checked twice, without animations.
  const look = async (theme: 'dark' | 'light', rules?: string[]) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    return page.evaluate(async (only) => {
      const { axe } = window as unknown as {
        axe: { run(context: object, options: object): Promise<{ violations: AxeViolation[] }> };
      };
      const options = { resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) };
      const { violations } = await axe.run(document, options);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    }, rules);
  };
  expect(await look('dark')).toEqual([]);
  expect(await look('light', ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await page.getByRole('button', { name: 'Home' }).click();
  await page.getByRole('region', { name: 'Home' }).getByRole('article').first().waitFor();
  expect(await look('dark')).toEqual([]);
  expect(await look('light', ['color-contrast', 'link-in-text-block'])).toEqual([]);
});

interface AxeViolation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

test('D8 nothing overflows from 360 px to 4k', async () => {
  const page = await open('samples', { width: 360, height: 800 });
  await run(page);
  await ask(page);
  for (const width of [360, 400, 768, 1600, 3840]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = () =>
      page.evaluate(() => {
        const inside = (node: Element) =>
          node.closest('.diff-scroll, pre, .tabs, .markdown-table, .sidebar, [popover], .visually-hidden');
        return [...document.querySelectorAll('body *')]
          .filter((node) => !inside(node) && node.getBoundingClientRect().right > innerWidth + 1)
          .map((node) => `${node.tagName}.${node.className}`);
      });
    await expect.poll(async () => ({ width, wide: await still(page, wide) })).toEqual({ width, wide: [] });
  }
});

test('D8 the sidebar fits with wide system fonts, and its menus can be clicked', async () => {
  const page = await open('samples', { width: 1280, height: 800 });
  for (const [font, size] of [
    ['Liberation Sans', '125%'],
    ['DejaVu Sans', '115%'],
    ['DejaVu Sans Mono', '120%'],
  ] as const) {
    await page.evaluate(
      async ([name, sizeAdjust]) => {
        const face = new FontFace('Wide', `local("${name}")`, { sizeAdjust } as FontFaceDescriptors);
        document.fonts.clear();
        document.fonts.add(await face.load());
        document.documentElement.style.setProperty('--font-ui', 'Wide');
      },
      [font, size] as const,
    );
    const outside = () =>
      page.evaluate(() => {
        const sidebar = document.querySelector('.sidebar');
        const edge = sidebar?.getBoundingClientRect().right ?? 0;
        const nodes = [...(sidebar?.querySelectorAll('*') ?? [])];
        return nodes
          .filter(
            (node) =>
              node.getBoundingClientRect().right > edge && !node.closest('[popover], .visually-hidden'),
          )
          .map((node) => `${node.tagName}.${node.getAttribute('class')}`);
      });
    await expect
      .poll(async () => ({ font, outside: await still(page, outside) }))
      .toEqual({ font, outside: [] });
  }
  const row = page.locator('.session-list li').first();
  await row.hover();
  await row.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menu').waitFor();
});
