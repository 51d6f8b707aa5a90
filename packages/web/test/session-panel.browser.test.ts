/** The end of a turn and the way to its changes, over the gallery. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { frames } from '@tugdeck/testkit/frames';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();

const emit = (page: Page, ...changes: ChangeBody[]) =>
  page.evaluate((bodies) => window.gallery.host('rest').emit(...bodies), changes);
const edited = (id: string, path: string, lines: string[]): ChangeBody => ({
  kind: 'entry.opened',
  entry: {
    kind: 'tool',
    id,
    status: 'complete',
    name: 'Edit',
    title: path,
    toolKind: 'edit',
    state: 'done',
    diff: [{ path, hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }] }],
  },
});
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('D19 a turn ends with its result, time, files, lines and cost, and leads to its changes', async () => {
  const page = await gallery.open('rest');
  await emit(
    page,
    { kind: 'turn.started', turn: 't1', origin: 'agent', prompts: [] },
    edited('e1', 'src/a.ts', ['-old', '+new', '+more']),
    edited('e2', 'src/b.ts', ['+one']),
  );
  const log = page.getByRole('log');
  const footer = log.locator('.turn-footer');
  await log.getByText('src/b.ts').waitFor();
  await expect.poll(() => footer.count()).toBe(0);
  await emit(
    page,
    { kind: 'entry.opened', entry: { kind: 'text', id: 'e3', status: 'complete', text: 'Both are fixed.' } },
    { kind: 'usage.updated', usage: { ...usage, lastTurn: { ...usage, costUsd: 0.18 } } },
    { kind: 'turn.ended', turn: 't1', endedBy: 'completed' },
    { kind: 'turn.started', turn: 't2', origin: 'agent', prompts: [] },
    { kind: 'entry.opened', entry: { kind: 'text', id: 'e4', status: 'complete', text: 'Only an answer.' } },
    { kind: 'turn.ended', turn: 't2', endedBy: 'completed' },
  );
  await log.getByText('Only an answer.').waitFor();
  await expect.poll(() => footer.count()).toBe(1);
  await expect
    .poll(() => footer.innerText())
    .toMatch(/Turn completed[\s\S]*2 files\s*\+3\s*−1\s*\$0\.18\s*Review/);
  const [above, below] = await Promise.all([
    log.getByText('Both are fixed.').boundingBox(),
    footer.boundingBox(),
  ]);
  expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0) - 1);
  await footer.getByRole('button', { name: 'Review 2 files' }).waitFor();
});

test('D19 D20 an open request replaces its tool, and its outcome is a fact of it and of its turn', async () => {
  const page = await gallery.open('rest');
  const fields = [{ label: 'Command', value: 'npm test', form: 'code' as const }];
  const tool = {
    kind: 'tool',
    id: 'b1',
    name: 'Bash',
    title: 'npm test',
    toolKind: 'shell',
    fields,
  } as const;
  await emit(
    page,
    { kind: 'turn.started', turn: 't1', origin: 'agent', prompts: [] },
    { kind: 'entry.opened', entry: { ...tool, status: 'partial', state: 'waiting' } },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'permission',
        id: 'p1',
        status: 'partial',
        about: 'b1',
        request: {
          status: 'pending',
          shown: 'x',
          tool: 'Bash',
          toolKind: 'shell',
          title: 'npm test',
          fields,
          options: [{ id: 'once', label: 'Yes', effect: 'allow-once' }],
          canEdit: false,
          canComment: true,
        },
      },
    },
  );
  const log = page.getByRole('log');
  await log.getByRole('group', { name: 'Permission: Bash' }).getByText('Run this command?').waitFor();
  await expect.poll(() => log.getByText('npm test', { exact: true }).count()).toBe(1);
  await expect.poll(() => log.locator('.tool').count()).toBe(0);
  const answer = { type: 'permission', behavior: 'deny', message: 'use pnpm' };
  await emit(
    page,
    { kind: 'request.settled', entry: 'p1', status: 'answered', answer },
    {
      kind: 'entry.closed',
      entry: 'b1',
      status: 'failed',
      patch: { state: 'denied', denied: { by: 'user' } },
    },
  );
  const row = log.locator('[data-entry-id="b1"]');
  await expect.poll(() => row.innerText()).toMatch(/npm test\s+denied: use pnpm$/);
  await expect.poll(() => log.locator('article').count()).toBe(1);
  await emit(page, { kind: 'turn.ended', turn: 't1', endedBy: 'completed' });
  const footer = log.locator('.turn-footer');
  await expect.poll(() => footer.innerText()).toMatch(/^Turn completed[\s\S]*\b1 denied\b/);
});

test('D8 D21 on a phone nothing of the title bar moves when the panel opens', async () => {
  const page = await gallery.open('samples', { width: 390, height: 844 });
  const panel = page.getByRole('complementary', { name: /^Panel of Fix the failing login test/ });
  const places = (bar: Locator, name: Locator) =>
    Promise.all(
      [bar.getByRole('button', { name: 'Back' }), name, page.getByRole('tab', { name: 'Info' }).last()].map(
        async (part) => {
          const { x, y } = (await part.boundingBox()) ?? { x: 0, y: 0 };
          // Up to the half of a border.
          return { x, y: Math.floor(y + 0.5) };
        },
      ),
    );
  const bar = page.locator('.phone-title');
  const before = await places(bar, bar.locator('.phone-title-name'));
  await page.getByRole('tab', { name: 'Files' }).click();
  await panel.waitFor();
  expect(await places(panel, panel.getByRole('heading', { name: /^Fix the failing/ }))).toEqual(before);
});

test('D21 on a phone the panel of one session does not cover another one', async () => {
  const page = await gallery.open('samples', { width: 390, height: 844 });
  const box = page.getByRole('textbox', { name: 'Message' });
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByRole('complementary', { name: /^Panel of Fix the failing login test/ }).waitFor();
  await page.evaluate(() => {
    location.hash = '#/session/rest';
  });
  await page.getByRole('complementary', { name: /^Panel of / }).waitFor({ state: 'detached' });
  await box.waitFor();
});

test('D21 the files of a workspace are opened again once it is created', async () => {
  const page = await gallery.open('rest', { isOwn: true });
  await page.evaluate(() => {
    const { gallery } = window;
    const opened: string[] = [];
    Object.assign(window, { opened });
    const openArea = gallery.openArea.bind(gallery);
    Object.assign(gallery, {
      openArea: (area: { name: string }, about: never) => {
        if (area.name === 'files') opened.push((about as { project: string }).project);
        return openArea(area as never, about);
      },
    });
  });
  const setState = (state: 'creating' | 'ready') =>
    page.evaluate((next) => {
      const { deck } = window.gallery;
      const now = deck.get();
      if (!now) return;
      const workspace = {
        id: 'w1',
        project: 'p1',
        name: 'fix',
        state: next,
        path: '/home/me/fix',
        createdAt: 0,
      };
      const sessions = now.sessions.map((row) => (row.id === 'rest' ? { ...row, workspace: 'w1' } : row));
      deck.set({ ...now, sessions, workspaces: [workspace] });
    }, state);
  const opened = () => page.evaluate(() => (window as unknown as { opened: string[] }).opened);
  await setState('creating');
  await page.getByRole('textbox', { name: 'Message' }).blur();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect.poll(opened).toEqual(['w1']);
  await setState('ready');
  await expect.poll(opened).toEqual(['w1', 'w1']);
});

test('D21 a click or Enter on the Terminal tab leads into the terminal, arrow keys stay on the tabs', async () => {
  const page = await gallery.open('rest');
  await page.getByRole('button', { name: 'Session panel' }).click();
  const tabs = page.getByRole('tablist', { name: 'Session panel' });
  const terminal = tabs.getByRole('tab', { name: 'Terminal' });
  const focus = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.closest('.terminal-host') ? 'terminal' : activeElement?.textContent;
    });
  await terminal.click();
  await expect.poll(focus).toBe('terminal');
  await tabs.getByRole('tab', { name: 'Info' }).click();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => terminal.getAttribute('aria-selected')).toBe('true');
  // What would move the focus has run by the next frame.
  await frames(page);
  await expect.poll(focus).toBe('Terminal');
  await page.keyboard.press('Enter');
  await expect.poll(focus).toBe('terminal');
});

async function openChanges(page: Page): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Message' }).blur();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  return page.getByRole('group', { name: 'Review' });
}

test('W4 changes that others made too are listed apart and say so, also in a narrow panel', async () => {
  const page = await gallery.open('rest');
  await page.evaluate(() => {
    const file = { state: 'modified', binary: false, added: 1, removed: 0, after: 'x', viewed: false };
    const state = {
      scope: { since: 'session' },
      turns: [],
      files: [
        { ...file, path: 'own.ts', by: 'session' },
        { ...file, path: 'shared.ts', by: 'both' },
        { ...file, path: 'theirs.ts', by: 'others' },
      ],
      more: 0,
      left: 0,
      accepted: [],
      comments: [],
    };
    const answers: Record<string, unknown> = { state, branches: { branches: [] } };
    const openArea = window.gallery.openArea.bind(window.gallery);
    Object.assign(window.gallery, {
      openArea: (area: { name: string }, about: never) => {
        const opened = openArea(area as never, about);
        if (area.name !== 'review') return opened;
        const view = { ...opened.view.get(), opened: 1 };
        const call = async (name: string) => answers[name] ?? { path: name, hunks: [] };
        return { ...opened, view: { ...opened.view, get: () => view }, call };
      },
    });
  });
  const review = await openChanges(page);
  const shared = review.getByRole('region', { name: 'Also changed outside this session' });
  await shared.getByText('Some or all of this may not be this session’s.').waitFor();
  await expect.poll(() => shared.getByRole('checkbox').count()).toBe(1);
  await shared.getByRole('button', { name: 'Revert shared.ts' }).waitFor();
  const own = review.getByRole('region', { name: 'Changed by this session' });
  await own.getByRole('button', { name: 'Revert own.ts' }).waitFor();
  await expect.poll(() => own.getByRole('checkbox').count()).toBe(1);
});

test('W4 A40 of an external session the panel says why its changes are unknown, and leads to all uncommitted ones', async () => {
  const page = await gallery.open('rest');
  await page.evaluate(() => {
    const { deck } = window.gallery;
    const now = deck.get();
    if (!now) return;
    const sessions = now.sessions.map((row) =>
      row.id === 'rest' ? { ...row, origin: 'foreign' as const } : row,
    );
    deck.set({ ...now, sessions });
  });
  const review = await openChanges(page);
  await review.getByText(/were not recorded, because it was started in .+, not here\.$/).waitFor();
  await review.getByRole('button', { name: 'Show all uncommitted changes' }).click();
  await page.getByRole('group', { name: 'Git' }).waitFor();
});
