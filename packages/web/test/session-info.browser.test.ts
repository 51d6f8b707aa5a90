/** Session information and its controls, over the gallery. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { press } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();

const emit = (page: Page, ...changes: ChangeBody[]) =>
  page.evaluate((bodies) => window.gallery.host('samples').emit(...bodies), changes);
const describe = (page: Page, facts: SessionInfo) => emit(page, { kind: 'session.described', facts });

/** The inputs of all control requests with one name. */
const controlInputs = (page: Page, what: string) =>
  page.evaluate(
    (name) =>
      window.gallery
        .host('samples')
        .sent.flatMap((command) =>
          command.kind === 'agent.control' && command.what === name ? [command.input] : [],
        ),
    what,
  );

/** Waits for a pending control request and replies as the agent would. */
async function answer(page: Page, what: string, patch: { text: string; data?: unknown }, isDone = true) {
  const open = () =>
    page.evaluate((name) => {
      const host = window.gallery.host('samples');
      const command = host.sent.findLast(
        (one) => one.kind === 'agent.control' && one.what === name && one.id in host.state.open,
      );
      return command?.id;
    }, what);
  await expect.poll(open).toBeDefined();
  const entry = (await open()) ?? '';
  await emit(page, { kind: 'entry.closed', entry, status: isDone ? 'complete' : 'failed', patch });
}

async function menu(page: Page, choice: string) {
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: choice }).click();
}

test('D2 a session shows the icon and name of its agent in the sidebar and on its tab', async () => {
  const page = await gallery.open('samples');
  const link = page.locator('nav a[data-session="samples"]');
  const tab = page.getByRole('tab', { name: /Fix the failing login test/ });
  for (const place of [link, tab]) {
    await place.locator('svg.agent-mark path[d^="M6 4"]').waitFor();
    await expect
      .poll(() => place.getAttribute('title'))
      .toMatch(/Fix the failing login test\W+Sample agent$/);
    await expect
      .poll(() => place.locator('.agent-mark').boundingBox())
      .toMatchObject({ width: 14, height: 14 });
  }
  // An agent without an icon has a ring and its name.
  await page.evaluate(() => {
    const deck = window.gallery.deck.get();
    if (deck)
      window.gallery.deck.set({ ...deck, sessions: deck.sessions.map((row) => ({ ...row, agent: 'own' })) });
  });
  await link.locator('path[d^="M13 8A5"]').waitFor();
  await expect.poll(() => link.getAttribute('title')).toMatch(/\nown$/);
});

test('C19 session info: servers with tools are switched, reconnected and signed in to; plugins, settings, drift', async () => {
  const page = await gallery.open('samples');
  const server = {
    name: 'files',
    status: 'connected',
    tools: [{ name: 'read', description: 'Reads a file' }],
  };
  const locked = { name: 'tracker', status: 'needs-auth' };
  await emit(page, { kind: 'agent.changed', agent: { state: 'connected' } });
  await describe(page, {
    controls: [
      'mcp.status',
      'mcp.toggle',
      'mcp.reconnect',
      'mcp.sign-in',
      'mcp.sign-in.finish',
      'settings',
      'settings.change',
      'title',
    ],
    mcpServers: [server, locked, { name: 'broken', status: 'failed', error: 'spawn ENOENT' }],
    plugins: [{ name: 'acme', source: 'acme@market' }],
  });
  await emit(page, {
    kind: 'drift.counted',
    what: 'weather/report',
    sample: '{"type":"weather","sky":"blue"}',
  });

  await menu(page, 'Session info');
  const dialog = page.getByRole('dialog', { name: 'Session info' });
  await answer(page, 'mcp.status', { text: '' });
  const files = dialog.getByRole('listitem', { name: 'files' });
  await files.getByText('Connected · 1 tool').waitFor();
  await files.getByText('Tools (1)').click();
  await files.getByText('Reads a file').waitFor();
  await files.getByRole('checkbox', { name: 'On' }).click();
  await answer(page, 'mcp.toggle', { text: '' });
  expect(await controlInputs(page, 'mcp.toggle')).toEqual([{ server: 'files', enabled: false }]);
  await files.getByRole('button', { name: 'Reconnect' }).click();
  await answer(page, 'mcp.reconnect', { text: 'The server does not answer.' }, false);
  await files.getByRole('alert').getByText('The server does not answer.').waitFor();
  await dialog.getByText('spawn ENOENT').waitFor();

  const tracker = dialog.getByRole('listitem', { name: 'tracker' });
  await tracker.getByRole('button', { name: 'Sign in' }).click();
  // A URL that is not a web URL never becomes a link.
  await answer(page, 'mcp.sign-in', { text: '', data: { address: 'javascript:alert(1)' } });
  await expect.poll(() => tracker.getByRole('button', { name: 'Sign in' }).isEnabled()).toBe(true);
  await expect.poll(() => tracker.getByRole('link').count()).toBe(0);
  await tracker.getByRole('button', { name: 'Sign in' }).click();
  await answer(page, 'mcp.sign-in', { text: '', data: { address: 'https://sign.example/go?state=1' } });
  const link = tracker.getByRole('link', { name: 'Open the sign-in page' });
  await link.waitFor();
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    'https://sign.example/go?state=1',
    'noopener noreferrer',
  ]);
  await tracker
    .getByRole('textbox', { name: 'Address you were sent to' })
    .fill('http://localhost:9/cb?code=2');
  await tracker.getByRole('button', { name: 'Finish' }).click();
  await answer(page, 'mcp.sign-in.finish', { text: '' });
  expect(await controlInputs(page, 'mcp.sign-in.finish')).toEqual([
    { server: 'tracker', address: 'http://localhost:9/cb?code=2' },
  ]);
  await describe(page, { mcpServers: [server, { ...locked, status: 'connected' }] });
  await link.waitFor({ state: 'detached' });

  await dialog.getByRole('region', { name: 'Plugins' }).getByText('acme@market').waitFor();
  const settings = dialog.getByRole('region', { name: 'Agent settings' });
  await settings.getByRole('textbox', { name: 'Setting' }).fill('cleanupPeriodDays');
  await settings.getByRole('textbox', { name: 'Value' }).fill('7');
  await settings.getByRole('combobox', { name: 'For' }).selectOption('user');
  await settings.getByRole('button', { name: 'Change' }).click();
  await answer(page, 'settings.change', { text: 'Changed the user settings.' });
  await settings.getByRole('status').getByText('Changed the user settings.').waitFor();
  expect(await controlInputs(page, 'settings.change')).toEqual([
    { source: 'user', settings: { cleanupPeriodDays: 7 } },
  ]);
  const unknown = dialog.getByRole('region', { name: 'Unrecognized messages' });
  await unknown.getByText('weather/report').waitFor();
  await unknown.getByText('"sky":"blue"').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await menu(page, 'Generate title');
  await answer(page, 'title', { text: 'Cookie order', data: { title: 'Cookie order' } });
  await expect
    .poll(() => page.evaluate(() => window.gallery.requests))
    .toContainEqual({ type: 'session.rename', session: 'samples', title: 'Cookie order' });
  expect(await controlInputs(page, 'title')).toEqual([
    { description: expect.stringContaining('The login test fails since this morning') },
  ]);
});

test('C12 a running task is moved to the background, read and stopped in place', async () => {
  const page = await gallery.open('samples');
  await describe(page, { controls: ['task.background', 'task.output', 'task.stop'] });
  await emit(
    page,
    { kind: 'turn.started', turn: 'turn1', origin: 'user', prompts: [] },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'tool',
        id: 'loop',
        name: 'Bash',
        title: 'Bash: ./serve',
        toolKind: 'shell',
        status: 'partial',
        state: 'running',
        task: 'b1',
      },
    },
  );
  const tool = page.locator('article[data-entry-id="loop"]');
  await press(tool.getByRole('button', { name: 'Run in background' }));
  await answer(page, 'task.background', { text: '' });
  expect(await controlInputs(page, 'task.background')).toEqual([{ tool: 'loop' }]);
  await emit(page, { kind: 'entry.patched', entry: 'loop', patch: { state: 'background' } });
  await tool.getByRole('button', { name: 'Run in background' }).waitFor({ state: 'detached' });
  await press(tool.getByRole('button', { name: 'Show output' }));
  const output = page.getByRole('dialog', { name: 'Task output' });
  await answer(page, 'task.output', { text: 'listening on 8080' });
  await output.getByText('listening on 8080').waitFor();
  await output.getByRole('button', { name: 'Refresh' }).click();
  await answer(page, 'task.output', { text: 'GET /' });
  await output.getByText('GET /').waitFor();
  await output.getByRole('button', { name: 'Close' }).click();
  await press(tool.getByRole('button', { name: 'Stop this task' }));
  await answer(page, 'task.stop', { text: 'It has ended.' }, false);
  await tool.getByRole('alert').getByText('It has ended.').waitFor();
});

/** Animations of the page, each with what keeps the browser from running it without painting every frame. */
function runningAnimations(): Record<string, string[]> {
  const cheap = ['transform', 'opacity', 'offset', 'computedOffset', 'easing', 'composite'];
  const found: Record<string, string[]> = {};
  for (const animation of document.getAnimations()) {
    const { effect } = animation;
    if (animation.playState !== 'running' || !(effect instanceof KeyframeEffect)) continue;
    const properties = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
    const isInImage = effect.target instanceof SVGElement && effect.target.ownerSVGElement !== null;
    const name = animation instanceof CSSAnimation ? animation.animationName : 'other';
    found[name] = [...properties.filter((one) => !cheap.includes(one)), ...(isInImage ? ['in an SVG'] : [])];
  }
  return found;
}

test('C10 streaming text has a cursor in its last block, and tokens are counted live', async () => {
  const page = await gallery.open('samples');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await emit(
    page,
    { kind: 'turn.started', turn: 'turn1', origin: 'user', prompts: [] },
    { kind: 'entry.opened', entry: { kind: 'text', id: 's1', status: 'partial', text: '' } },
  );
  const stream = (text: string) =>
    page.evaluate((words) => window.gallery.host('samples').stream('s1', words), text);
  const prose = page.locator('article[data-entry-id="s1"] .prose');
  /** Which elements have a cursor, by their text. */
  const cursors = () =>
    prose.evaluate((root) =>
      [...root.querySelectorAll('*')]
        .filter((node) => {
          const { animationName, content } = getComputedStyle(node, '::after');
          // Without content nothing is drawn.
          return animationName === 'cursor-blink' && content === '""';
        })
        .map((node) => node.textContent),
    );
  await stream('First words.');
  await expect.poll(cursors).toEqual(['First words.']);
  const names = await page.evaluate(runningAnimations);
  expect(names).toMatchObject({ sweep: [], 'cursor-blink': [] });
  expect(Object.values(names).flat()).toEqual([]);
  await stream('\n\n- one\n- two');
  await expect.poll(cursors).toEqual(['two']);
  await stream('\n\n```ts\nconst a = 1;\n');
  await expect.poll(cursors).toEqual(['const a = 1;']);
  const tokens = page.locator('.activity-tokens');
  const counted = async () => Number(/\d+/.exec((await tokens.textContent()) ?? '')?.[0]);
  await expect.poll(counted).toBeGreaterThanOrEqual(10);
  const before = await counted();
  await stream('x'.repeat(400));
  await expect.poll(counted).toBeGreaterThanOrEqual(before + 100);
  await emit(page, { kind: 'entry.closed', entry: 's1', status: 'complete', patch: { text: 'Done.' } });
  await expect.poll(cursors).toEqual([]);
  await emit(page, { kind: 'turn.ended', turn: 'turn1', endedBy: 'completed' });
  await tokens.waitFor({ state: 'detached' });
});

test('C9 commands are grouped by category, and a suggestion fills the composer without sending', async () => {
  const page = await gallery.open('samples');
  await describe(page, {
    suggestion: 'run the tests again',
    commands: [
      { name: 'acme:deploy', category: 'plugin' },
      { name: 'verify', category: 'skill' },
      { name: 'compact', category: 'agent' },
      { name: 'context', category: 'local', surface: 'control:context' },
      { name: 'help', category: 'local', surface: 'help' },
    ],
  });
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.pressSequentially('/');
  const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
  await expect
    .poll(() => options.allTextContents())
    .toEqual(['/contextTugdeck', '/helpTugdeck', '/compactAgent', '/verifySkill', '/acme:deployPlugin']);
  await box.fill('');
  await describe(page, { plugins: [{ name: 'acme', source: 'acme@market' }] });
  await box.fill('/help ');
  await box.press('Enter');
  const help = page.getByRole('group', { name: 'Help' });
  for (const group of ['Tugdeck commands (2)', 'Skills as commands (1)', 'Plugin commands (1)'])
    await help.getByText(group).waitFor();
  await help.getByText('Plugins (1)', { exact: true }).click();
  await help.getByText('acme (acme@market)').waitFor();
  await page.getByRole('tab', { name: /Fix the failing login test/ }).click();
  await page.getByRole('button', { name: 'Suggested message: run the tests again' }).click();
  await expect.poll(() => box.inputValue()).toBe('run the tests again');
  expect(await page.evaluate(() => window.gallery.host('samples').sent)).toEqual([]);
});

test('C6 shows the blocked path, denied permissions, icons and task descriptions', async () => {
  const page = await gallery.open('samples');
  const permission = await page.evaluate(() => window.samples.openRequests()[0]);
  if (permission?.kind !== 'entry.opened' || permission.entry.kind !== 'permission') throw new Error('none');
  const { entry } = permission;
  await emit(page, {
    kind: 'entry.opened',
    entry: { ...entry, request: { ...entry.request, blockedPath: '/etc/passwd' } },
  });
  const group = page.getByRole('group', { name: 'Permission: Bash' });
  await group.getByText('Not allowed yet: /etc/passwd').waitFor();
  await group.locator('[data-blocked-path]').getByText('Outside the project').waitFor();
  await emit(page, { kind: 'request.settled', entry: entry.id, status: 'withdrawn' });

  const tool = (id: string, name: string, toolKind: 'edit' | 'search', variant?: 'write' | 'find-files') =>
    ({
      kind: 'entry.opened',
      entry: {
        kind: 'tool',
        id,
        name,
        title: name,
        toolKind,
        status: 'failed',
        state: 'denied',
        denied: { by: 'rule', why: 'Not here.' },
        ...(variant ? { variant } : {}),
      },
    }) as const;
  await emit(
    page,
    { kind: 'turn.started', turn: 'turn2', origin: 'user', prompts: [] },
    tool('icon-w', 'Write', 'edit', 'write'),
    { kind: 'entry.opened', entry: { kind: 'text', id: 'between1', status: 'complete', text: 'Between.' } },
    tool('icon-e', 'Edit', 'edit'),
    { kind: 'entry.opened', entry: { kind: 'text', id: 'between2', status: 'complete', text: 'Between.' } },
    tool('icon-g', 'Glob', 'search', 'find-files'),
    { kind: 'entry.opened', entry: { kind: 'text', id: 'between3', status: 'complete', text: 'Between.' } },
    tool('icon-r', 'Grep', 'search'),
    {
      kind: 'turn.ended',
      turn: 'turn2',
      endedBy: 'completed',
      denied: [{ entry: 'icon-w', title: 'Write: secrets.txt' }],
    },
  );
  const drawings = await Promise.all(
    ['icon-w', 'icon-e', 'icon-g', 'icon-r'].map((id) =>
      page.locator(`article[data-entry-id="${id}"] .tool-icon svg`).first().innerHTML(),
    ),
  );
  expect(new Set(drawings).size).toBe(4);

  const isInView = () =>
    page.locator('article[data-entry-id="icon-w"]').evaluateAll(([row]) => {
      const box = row?.getBoundingClientRect();
      const edges = row?.closest('.entry-scroll')?.getBoundingClientRect();
      return box !== undefined && edges !== undefined && box.bottom > edges.top && box.top < edges.bottom;
    });
  const after = 'A paragraph.\n\n'.repeat(80);
  await emit(page, {
    kind: 'entry.opened',
    entry: { kind: 'text', id: 'after', status: 'complete', text: after },
  });
  await expect.poll(isInView).toBe(false);
  await press(page.getByText('1 permission denied in this turn'));
  await press(page.getByRole('button', { name: 'Write: secrets.txt' }));
  await expect.poll(isInView).toBe(true);

  await emit(page, {
    kind: 'todos.replaced',
    todos: [{ id: '1', text: 'Build', state: 'active', description: 'With all warnings on' }],
  });
  const tasks = page.getByRole('region', { name: 'Tasks' });
  if ((await tasks.getByRole('button').getAttribute('aria-expanded')) === 'false')
    await tasks.getByRole('button').click();
  await tasks.getByText('With all warnings on').waitFor();
});
