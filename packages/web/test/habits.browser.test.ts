/** Terminal habits and the first minutes with an empty deck, over the gallery. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { press } from '@tugdeck/testkit/frames';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const open = gallery.open;

const emit = (page: Page, ...changes: ChangeBody[]) =>
  page.evaluate((bodies) => window.gallery.host('rest').emit(...bodies), changes);
const show = (page: Page, ...entries: NewEntry[]) =>
  emit(page, ...entries.map((entry): ChangeBody => ({ kind: 'entry.opened', entry })));
const article = (page: Page, id: string) => page.locator(`article[data-entry-id="${id}"]`);
const tool = (id: string, more: object): NewEntry =>
  ({
    id,
    kind: 'tool',
    status: 'complete',
    name: 'run',
    title: 'run',
    toolKind: 'shell',
    state: 'done',
    ...more,
  }) as NewEntry;

test('M4 the line of a settled request says if an answer came too late', async () => {
  const page = await open('rest');
  await page.evaluate(() => {
    const host = window.gallery.host('rest');
    host.emit({ kind: 'entry.opened', entry: window.samples.permission('p1', 'Run it') });
    host.isHolding = true;
  });
  const group = page.getByRole('group', { name: 'Permission: Bash' });
  const deny = group.getByRole('button', { name: 'Deny', exact: true });
  await press(deny);
  await expect.poll(() => page.evaluate(() => window.gallery.host('rest').sent.length)).toBe(1);
  const answer = { type: 'permission', behavior: 'allow' } as const;
  await emit(page, { kind: 'request.settled', entry: 'p1', status: 'answered', answer });
  await page.evaluate(() => window.gallery.host('rest').release());
  await article(page, 'p1').getByRole('alert').getByText('Your answer came too late').waitFor();
  await article(page, 'p1').getByText('Allowed').first().waitFor();
});

test('C4 A5 a tool shows its outcome: no counts for a failed edit, no check mark for exit 3, where cut output is', async () => {
  const page = await open('rest');
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] };
  const diff = [{ path: '/p/a.ts', hunks: [hunk] }];
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
  const terminal = { type: 'terminal', stderr: '' } as const;
  await show(
    page,
    tool('edited', { toolKind: 'edit', diff }),
    tool('unedited', { toolKind: 'edit', diff, state: 'failed', status: 'failed', error: 'No match' }),
    tool('exit0', { result: { ...terminal, stdout: 'ok', exitCode: 0 } }),
    tool('exit3', { result: { ...terminal, stdout: 'hi', exitCode: 3 } }),
    tool('cut', { result: { ...terminal, stdout: lines, cut: { size: 5_313_894, path: '/home/u/o.txt' } } }),
    tool('refused', {
      state: 'denied',
      status: 'failed',
      error: 'PreToolUse hook error: [x]: not today',
      denied: { by: 'hook', why: 'not today' },
    }),
  );
  await article(page, 'edited').getByText('+1').waitFor();
  const head = article(page, 'unedited').locator('.tool-head');
  await head.getByText('failed').waitFor();
  await expect.poll(() => head.innerText()).not.toContain('+1');
  await article(page, 'unedited').getByText('Not applied:').waitFor();
  await expect.poll(() => article(page, 'exit0').locator('.tool-done').count()).toBe(1);
  await article(page, 'exit3').getByText('exit 3').waitFor();
  await expect.poll(() => article(page, 'exit3').locator('.tool-done').count()).toBe(0);
  await press(article(page, 'cut').locator('.tool-line'));
  await article(page, 'cut').getByText('The agent kept only the start of 5.1 MB.').waitFor();
  await article(page, 'cut').getByText('/home/u/o.txt').waitFor();
  await article(page, 'cut').getByRole('button', { name: 'Show the first 40 lines' }).waitFor();
  await article(page, 'refused').getByText('Denied by a hook').waitFor();
  await expect.poll(() => article(page, 'refused').getByText('not today').count()).toBe(1);
});

test('A8 C15 retries replace one line, and times are local with a countdown', async () => {
  const page = await open('rest');
  const notice = (id: string, kind: 'retry' | 'error', text: string) =>
    ({ id, kind: 'notice', status: 'complete', notice: kind, level: 'warning', text }) as NewEntry;
  await show(page, notice('r1', 'retry', 'Attempt 1 of 3'), notice('r2', 'retry', 'Attempt 2 of 3'));
  await article(page, 'r2').waitFor();
  await expect.poll(() => article(page, 'r1').count()).toBe(0);
  const at = new Date(Date.now() + 2 * 3_600_000 + 90_000);
  const iso = `${at.toISOString().slice(0, 16)}Z`;
  await show(page, notice('limit', 'error', `The limit is reached; it is free again at ${iso}.`));
  await article(page, 'limit')
    .getByText(/in 2h [12]m/)
    .waitFor();
  await expect.poll(() => article(page, 'limit').innerText()).not.toContain('Z');
});

test('C1 C2 a long answer that was followed to its end stays expanded', async () => {
  const page = await open('rest');
  await emit(page, { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] });
  await show(page, { id: 'long', kind: 'text', status: 'partial', text: '' });
  await article(page, 'long').waitFor();
  const words = 'A sentence of the answer. ';
  const size = await page.evaluate((sentence) => {
    const text = `${sentence.repeat(3_000)}\n\nThe conclusion.`;
    window.gallery.host('rest').stream('long', text);
    return text.length;
  }, words);
  await article(page, 'long').getByText('The conclusion.').waitFor();
  const head = words.repeat(30);
  const more = { blob: 'a'.repeat(64), size, head, tail: 'The conclusion.' };
  await emit(page, { kind: 'entry.closed', entry: 'long', status: 'complete', patch: { text: head, more } });
  await article(page, 'long').and(page.locator('[data-status="complete"]')).waitFor();
  await article(page, 'long').getByText('The conclusion.').waitFor();
  await expect
    .poll(() =>
      article(page, 'long')
        .getByRole('button', { name: /Show all/ })
        .count(),
    )
    .toBe(0);
});

test('H5 A8 a failure of the session that refuses a message is shown once, and the text stays', async () => {
  const page = await open('rest');
  await page.evaluate(() => {
    const { fault } = window.gallery.host('rest');
    fault.set(
      Object.assign(new Error('The disk is full.'), { code: 'DATA_UNWRITABLE', hint: 'Make room.' }) as never,
    );
  });
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('Hello');
  await box.press('Enter');
  await expect.poll(() => page.evaluate(() => window.gallery.host('rest').sent.length)).toBe(1);
  await expect.poll(() => box.inputValue()).toBe('Hello');
  await expect.poll(() => page.getByText('The disk is full. Make room.').count()).toBe(1);
});

test('C1 the buttons of a message do not cover the end of the row below it', async () => {
  const page = await open('rest');
  for (const [id, kind] of [
    ['a', 'user'],
    ['b', 'text'],
  ] as const)
    await show(
      page,
      {
        id,
        kind,
        status: 'complete',
        text: 'Run it.',
        ...(kind === 'user' ? { delivery: 'delivered' } : {}),
      } as NewEntry,
      tool(`below ${id}`, { durationMs: 12_000 }),
    );
  for (const id of ['a', 'b']) {
    await article(page, id).hover();
    const gap = () =>
      article(page, id).evaluate((node) => {
        const buttons = node.querySelector('.entry-aside');
        const end = document.querySelector(`[data-entry-id="below ${node.dataset.entryId}"] .tool-end svg`);
        if (!buttons || !end || getComputedStyle(buttons).opacity !== '1') return Number.NaN;
        return end.getBoundingClientRect().top - buttons.getBoundingClientRect().bottom;
      });
    await expect.poll(gap, { message: id }).toBeGreaterThanOrEqual(0);
  }
});

test('A3 shows context usage as a bar', async () => {
  const page = await open('rest');
  const data = {
    totalTokens: 14_000,
    maxTokens: 200_000,
    categories: [
      { name: 'System prompt', tokens: 4_000 },
      { name: 'Messages', tokens: 10_000 },
      { name: 'Free space', tokens: 186_000 },
    ],
  };
  await show(page, { id: 'c', kind: 'command', status: 'complete', name: 'context', text: 'x', data });
  await article(page, 'c').getByText('7%', { exact: true }).waitFor();
  await expect.poll(() => article(page, 'c').getByRole('listitem').allInnerTexts()).toHaveLength(3);
  const bar = article(page, 'c').locator('.context-bar span');
  await expect.poll(() => bar.count()).toBe(3);
  const widths = await bar.evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
  expect(widths[2]).toBeGreaterThan(widths[1] ?? 0);
  expect(widths[1]).toBeGreaterThan(widths[0] ?? 0);
});

test('C9 A14 Shift+Tab cycles through the modes, except those that allow everything', async () => {
  const page = await open('rest');
  const modes = [
    { id: 'ask', label: 'Ask' },
    { id: 'edits', label: 'Edits' },
    { id: 'all', label: 'All', dangerous: true },
  ];
  await emit(page, { kind: 'session.described', facts: { modes, mode: 'ask' } });
  await page.getByRole('button', { name: 'Mode: Ask' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Shift+Tab');
  await page.getByRole('button', { name: 'Mode: Edits' }).waitFor();
  await page.keyboard.press('Shift+Tab');
  const sent = () =>
    page.evaluate(() => window.gallery.host('rest').sent.map((one) => ('value' in one ? one.value : '')));
  await expect.poll(sent).toEqual(['edits', 'ask']);
});

test('C9 only a typed ! turns a message into a terminal command', async () => {
  const page = await open('rest');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.focus();
  await page.keyboard.type('! ls');
  await page.locator('.composer-box[data-shell="true"]').waitFor();
  await box.fill('');
  await box.fill('! rm -rf /');
  await page.locator('.composer-box[data-shell="false"]').waitFor();
  await box.press('Enter');
  await expect
    .poll(() => page.evaluate(() => window.gallery.host('rest').sent))
    .toMatchObject([{ kind: 'prompt.send', text: '! rm -rf /' }]);
});

test('D7 still counts in the title if new Notification throws', async () => {
  const page = await open('rest', {
    isOwn: true,
    prepare: (fresh) =>
      fresh.addInitScript(() => {
        class Throwing {
          static permission = 'granted';
          static requestPermission = async () => 'granted';
          constructor() {
            document.documentElement.dataset.notified = 'tried';
            throw new TypeError(
              'Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.',
            );
          }
        }
        Object.defineProperty(window, 'Notification', { value: Throwing });
        localStorage.setItem('tugdeck.notifications', 'true');
        Object.defineProperty(document, 'hasFocus', { value: () => false });
      }),
  });
  const ask = (session: string) =>
    page.evaluate((id) => {
      const host = window.gallery.host(id);
      host.emit({ kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] });
      host.emit({ kind: 'entry.opened', entry: window.samples.permission('p9', 'Run it') });
    }, session);
  // The title counts from the start; only later requests are notified.
  await ask('samples');
  await expect.poll(() => page.title()).toContain('(1)');
  await ask('rest');
  await expect.poll(() => page.title()).toContain('(2)');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.notified)).toBe('tried');
  await page.getByRole('group', { name: 'Permission: Bash' }).waitFor();
});

test('D12 S4 an empty deck says what to do, and Add project can be canceled', async () => {
  const page = await open('rest');
  await page.evaluate(() => {
    const { deck } = window.gallery;
    const now = deck.get();
    if (now) deck.set({ ...now, projects: [], sessions: [] });
  });
  await page.getByRole('heading', { name: 'Add a project' }).waitFor();
  await page.getByRole('button', { name: 'Choose folder…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add project' });
  await dialog.getByRole('textbox', { name: 'Path' }).fill('/home/me/other');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => window.gallery.requests)).toEqual([]);
  // Opened again, it is empty.
  await page.getByRole('button', { name: 'Choose folder…' }).click();
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Path' }).inputValue()).toBe('');
});

test('D11 D18 lists a working session once, and opening it does not move it', async () => {
  const page = await open('rest');
  const group = page.getByRole('region', { name: 'Working' });
  await expect.poll(() => group.count()).toBe(0);
  await page.evaluate(() => window.gallery.host('samples').emit(...window.samples.runningChanges()));
  const row = group.getByText('Fix the failing login test');
  await row.waitFor();
  await row.click();
  await page.getByRole('tab', { name: /Fix the failing login test/ }).waitFor();
  await row.waitFor();
  const links = page.getByRole('navigation', { name: 'Projects' }).getByRole('link');
  await expect.poll(() => links.filter({ hasText: 'Fix the failing login test' }).count()).toBe(1);
});

test('D18 the sidebar is one tab stop; arrows, letters and → reach the rest', async () => {
  const page = await open('failed');
  const nav = page.getByRole('navigation', { name: 'Projects' });
  await nav.getByRole('link').first().waitFor();
  const stops = () => nav.locator('.sidebar-list').locator('[tabindex="0"]');
  await expect.poll(() => stops().count()).toBe(1);
  await expect.poll(() => stops().getAttribute('aria-current')).toBe('page');
  await stops().focus();
  await page.keyboard.press('Home');
  await expect.poll(() => focusedText(page)).toContain('tugdeck');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focusedText(page)).toContain('Fix the failing login test');
  await page.keyboard.press('r');
  await expect.poll(() => focusedText(page)).toContain('Rename things');
  await expect.poll(() => stops().count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('menu', { name: /^Actions for Rename things/ }).waitFor();
  await page.keyboard.press('Escape');
});

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? '');
}

test('T19 an interrupted restore offers to finish it, undo it or leave it as is', async () => {
  const page = await open('rest');
  const parts = { files: true, conversation: false };
  await emit(page, { kind: 'restore.began', restore: 'r1', target: { entry: 'm1' }, parts });
  const banner = page.getByRole('alert').filter({ hasText: 'A restore was interrupted' });
  await banner.waitFor();
  const names = await banner.getByRole('button').allTextContents();
  expect(names).toEqual(['Finish restore', 'Undo restore', 'Leave as is']);
  await banner.getByRole('button', { name: 'Finish restore' }).click();
  await expect
    .poll(() => page.evaluate(() => window.gallery.host('rest').sent.at(-1)))
    .toMatchObject({ kind: 'restore.finish', restore: 'r1' });
  await banner.waitFor({ state: 'hidden' });
});

test('T11 on a touch screen a tap on Restore to here opens that message, and hidden buttons can’t be hit', async () => {
  const page = await open('rest', { isOwn: true, isPhone: true, width: 390, height: 844 });
  const message = (id: string): NewEntry => ({
    id,
    kind: 'user',
    status: 'complete',
    text: `words of ${id}`,
    delivery: 'delivered',
  });
  const answer: NewEntry = { id: 'answer', kind: 'text', status: 'complete', text: 'Done.' };
  await show(page, message('first'), answer, message('second'), message('third'));
  for (const id of ['first', 'second', 'third']) {
    await article(page, id).getByRole('button', { name: 'Restore to here' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Restore to here' });
    await dialog.getByText(`words of ${id}`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).tap();
    await dialog.waitFor({ state: 'hidden' });
  }
  const hit = await article(page, 'answer')
    .locator('.entry-aside button')
    .evaluateAll((buttons) =>
      buttons.map((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) === button;
      }),
    );
  expect(hit).toEqual([false, false]);
});

test('T11 D19 Undo of a turn without files to restore offers the conversation, and says why', async () => {
  const page = await open('rest');
  await show(page, { id: 'm1', kind: 'user', status: 'complete', text: 'publish it', delivery: 'delivered' });
  await emit(page, { kind: 'turn.started', turn: 't1', origin: 'user', prompts: ['m1'] });
  await show(page, tool('run1', { result: { type: 'terminal', stdout: 'ok', stderr: '', exitCode: 0 } }));
  await emit(page, { kind: 'turn.ended', turn: 't1', endedBy: 'completed' });
  await page.evaluate(() => {
    const nothing = { files: [], more: 0, counts: {}, late: false, leftOut: 0 };
    const gaps = [{ turn: 't1', why: 'shared' as const }];
    window.gallery.host('rest').preview = { ...nothing, plan: 'plan', gaps, memory: 'new' };
  });
  await page.getByRole('button', { name: 'Undo this turn' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo this turn' });
  await dialog.getByText('No files to restore').waitFor();
  await dialog.getByText('Another session worked in this folder during this turn.').waitFor();
  await dialog.getByText('starts a new session and remembers none of this conversation.').waitFor();
  const part = (name: string) => dialog.getByRole('radio', { name, exact: true });
  await expect.poll(() => part('Conversation').isChecked()).toBe(true);
  await expect.poll(() => part('Files').isDisabled()).toBe(true);
  await pressAnswer(dialog.getByRole('button', { name: 'Undo', exact: true }));
  await expect
    .poll(() => page.evaluate(() => window.gallery.host('rest').sent.at(-1)))
    .toMatchObject({ kind: 'restore.to', entry: 'm1', parts: { files: false, conversation: true } });
});
