/** Reading a conversation in a real browser: colors, diffs, subagents, find, links, long histories. */
import { frames, press, still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const open = gallery.open;

const entry = (page: Page, id: string) => page.locator(`[data-entry-id="${id}"]`);
const isInView = (page: Page, id: string) =>
  entry(page, id).evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    const frame = node.closest('.entry-scroll')?.getBoundingClientRect();
    return frame !== undefined && bottom > frame.top && top < frame.bottom;
  });
const openTool = (page: Page, id: string) => press(entry(page, id).locator('.tool-line').first());

test('C3 a closed block is colored with our tokens, with its text and copy unchanged', async () => {
  const page = await open('samples', { height: 2600 });
  const code = entry(page, 't1').locator('.markdown-code code');
  await code.locator('.syntax-keyword').first().waitFor();
  await expect
    .poll(() => code.textContent())
    .toBe(
      "export function login(request: Request, response: Response) {\n  response.setCookie('session', createSession(request.user));\n  response.redirect('/');\n}",
    );
  const kinds = await code.evaluate((node) =>
    [...node.querySelectorAll('span[class^=syntax]')].map((part) => part.className),
  );
  for (const kind of ['keyword', 'function', 'string', 'type']) expect(kinds).toContain(`syntax-${kind}`);
  const colors = await code.evaluate((node) => {
    const word = node.querySelector('.syntax-keyword');
    const probe = document.createElement('span');
    probe.className = 'syntax-keyword';
    document.body.append(probe);
    const both = [
      word && getComputedStyle(word).color,
      getComputedStyle(probe).color,
      getComputedStyle(document.body).color,
    ];
    probe.remove();
    return both;
  });
  expect(colors[0]).toBe(colors[1]);
  expect(colors[0]).not.toBe(colors[2]);
});

test('C5 thinking is one collapsed line with its latest text, and all of it when expanded', async () => {
  const page = await open('rest');
  await page.evaluate(() => {
    const host = window.gallery.host('rest');
    host.emit({ kind: 'entry.opened', entry: { kind: 'thinking', id: 'th', status: 'partial', text: '' } });
    host.stream('th', 'First the parser.\nThen the tests');
  });
  const thinking = entry(page, 'th');
  const line = thinking.getByRole('button', { name: /^Thinking/ });
  await expect.poll(() => line.innerText()).toContain('Then the tests');
  await expect.poll(() => line.getAttribute('aria-expanded')).toBe('false');
  await expect.poll(() => thinking.getByText('First the parser.').count()).toBe(0);
  await page.evaluate(() => window.gallery.host('rest').stream('th', ' and the docs'));
  await expect.poll(() => line.innerText()).toContain('Then the tests and the docs');
  await line.click();
  await thinking.getByText(/First the parser\.\s+Then the tests and the docs/).waitFor();
});

test('C3 unknown languages stay plain; a growing block shows its end and is colored when it closes', async () => {
  const page = await open('rest');
  const host = (work: (id: string) => void, argument: string) => page.evaluate(work, argument);
  await page.evaluate(() =>
    window.gallery
      .host('rest')
      .emit({ kind: 'entry.opened', entry: { kind: 'text', id: 'c', status: 'partial', text: '' } }),
  );
  await host(
    (text) => window.gallery.host('rest').stream('c', text),
    `\`\`\`nosuchlanguage\nlet a;\n\`\`\`\n\n\`\`\`ts\n${'const line = 1;\n'.repeat(160)}`,
  );
  const [plain, code] = [
    entry(page, 'c').locator('.markdown-code').first(),
    entry(page, 'c').locator('.markdown-code').last(),
  ];
  await expect.poll(() => code.locator('code').textContent()).toContain('const line = 1;');
  const end = () =>
    code.locator('pre').evaluate((node) => {
      const last = node.querySelector('code')?.getBoundingClientRect().bottom ?? 0;
      return Math.round(last - node.getBoundingClientRect().bottom);
    });
  await expect.poll(end).toBeLessThanOrEqual(0);
  await expect.poll(() => code.locator('span[class^=syntax]').count()).toBe(0);
  await host((text) => window.gallery.host('rest').stream('c', text), '```\n');
  await code.locator('.syntax-keyword').first().waitFor({ state: 'attached' });
  await expect.poll(end).toBeLessThanOrEqual(0);
  await expect.poll(() => plain.locator('span[class^=syntax]').count()).toBe(0);
  // Only visible lines become spans: 160 lines are ten groups.
  await expect.poll(() => code.locator('.markdown-code-lines:not(:has(span))').count()).toBeGreaterThan(0);
});

test('C4 a diff is side by side if it fits, unified by choice, colored, with changed words marked', async () => {
  const page = await open('samples', { width: 1700, height: 2600 });
  await openTool(page, 'd1');
  const diff = page.getByRole('figure', { name: /Changes to/ });
  await expect.poll(() => diff.getAttribute('data-layout')).toBe('split');
  await expect.poll(() => diff.locator('.diff-path').textContent()).toBe('src/login.ts');
  await expect.poll(() => diff.locator('.diff-path').getAttribute('title')).toBe('/home/me/app/src/login.ts');
  await diff.locator('.syntax-keyword').first().waitFor();
  await expect
    .poll(async () => (await diff.locator('[data-kind=added] .diff-word').allTextContents()).join(''))
    .toBe(', { httpOnly: true }');
  await diff.getByRole('button', { name: 'Unified' }).click();
  await expect.poll(() => diff.getAttribute('data-layout')).toBe('unified');
  await expect.poll(() => entry(page, 'd1').getByText('Replace all').count()).toBe(0);
  await expect.poll(() => entry(page, 'd1').locator('.tool-title').textContent()).toBe('Edit src/login.ts');
});

test('C4 shows data as a tree, hits by file, and the exit code of a command', async () => {
  const page = await open('samples', { height: 2600 });
  await openTool(page, 'a1');
  await openTool(page, 'a2');
  const tree = entry(page, 'a2').locator('.json');
  await tree.getByRole('button', { name: /tables/ }).waitFor();
  await tree.getByRole('button', { name: /^0/ }).click();
  await tree.getByText('1204').waitFor();
  await expect
    .poll(() => entry(page, 'm1').locator('.match-groups h4').allTextContents())
    .toEqual(['src/login.ts', 'src/http.ts']);
  await openTool(page, 's2');
  await entry(page, 's2').getByText('exit 0').waitFor();
  await entry(page, 's2').getByRole('region', { name: 'Error output' }).waitFor();
});

test('C12 a subagent is collapsed under its tool, except for open requests', async () => {
  const page = await open('samples', { height: 2600 });
  await entry(page, 'a1').waitFor();
  await expect.poll(() => entry(page, 'a2').count()).toBe(0);
  await openTool(page, 'a1');
  await entry(page, 'a1').locator('[data-entry-id=a2]').waitFor();
  await openTool(page, 'a1');
  await entry(page, 'a2').waitFor({ state: 'detached' });
  await page.evaluate(() =>
    window.gallery.host('samples').emit({
      kind: 'entry.opened',
      entry: { ...window.samples.permission('inner', 'Run it'), parent: 'a1' },
    }),
  );
  await entry(page, 'a1').getByRole('group', { name: 'Permission: Bash' }).waitFor();
});

test('C16 find searches unrendered and unloaded entries, and shows its progress', async () => {
  const page = await open('long');
  await page.getByRole('log').focus();
  await page.keyboard.press('/');
  const find = page.getByRole('search', { name: 'Find in conversation' });
  await find.getByRole('textbox', { name: 'Find' }).fill('Entry 9850.');
  await expect.poll(() => isInView(page, 'e9850')).toBe(true);
  await expect.poll(() => page.evaluate(() => window.gallery.host('long').loaded)).toBeLessThan(1_000);
  await find.getByRole('textbox').fill('Entry 9123.');
  await entry(page, 'e9123').waitFor();
  await expect.poll(() => isInView(page, 'e9123')).toBe(true);
  await expect.poll(() => find.getByRole('status').textContent()).toBe('1 of 1+');
  await page.keyboard.press('Escape');
  await find.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('body *').count()).toBeLessThanOrEqual(1_500);
});

test('C16 find expands a collapsed tool with a match', async () => {
  const page = await open('samples');
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).fill('one row');
  await expect.poll(() => entry(page, 'a3').count()).toBe(1);
  await expect.poll(() => isInView(page, 'a3')).toBe(true);
});

test('C16 a link opens an entry that is not loaded, and can be copied', async () => {
  const page = await open('long/e9001');
  await entry(page, 'e9001').waitFor();
  await expect.poll(() => isInView(page, 'e9001')).toBe(true);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await still(page, () => entry(page, 'e9001').boundingBox());
  await entry(page, 'e9001').hover();
  await press(entry(page, 'e9001').getByRole('button', { name: 'Copy link' }));
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${gallery.url}#/session/long/e9001`);
});

test('C16 J and K step through entries, Z collapses, the outline jumps to a prompt', async () => {
  const page = await open('samples');
  const held = () =>
    page.evaluate(() => document.activeElement?.closest('article')?.getAttribute('data-entry-id'));
  await page.getByRole('button', { name: 'Outline', exact: true }).click();
  const outline = page.getByRole('dialog', { name: 'Outline' });
  await expect.poll(() => outline.locator('li').count()).toBe(4);
  await outline.getByRole('button', { name: /The login test fails/ }).click();
  await expect.poll(() => isInView(page, 'u1')).toBe(true);
  // J begins with the first row in view: the list has come to its place.
  await still(page, () => entry(page, 'u1').boundingBox());
  await page.getByRole('log').focus();
  await page.keyboard.press('j');
  await expect.poll(held).toBe('u1');
  await page.keyboard.press('j');
  await expect.poll(held).toBe('h1');
  await page.keyboard.press('z');
  await entry(page, 'h1').getByText('So the cookie is not there yet.').waitFor();
  await page.keyboard.press('Shift+J');
  await expect.poll(held).toBe('u2');
  await page.keyboard.press('k');
  await expect.poll(held).toBe('c1');
});

test('C1 copies the whole conversation, including what is not rendered', async () => {
  const page = await open('long');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => {
    const host = window.gallery.host('long');
    while (host.loaded < 9_900) host.older();
  });
  await page.getByRole('button', { name: 'Copy conversation' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('Entry 9999.');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text.match(/^Entry \d+\./gm)?.length).toBe(10_000);
});

test('C17 the DOM stays small anywhere in a long history', async () => {
  const page = await open('long');
  const nodes = () => page.locator('body *').count();
  await entry(page, 'e9999').waitFor();
  expect(await nodes()).toBeLessThanOrEqual(1_500);
  await page.evaluate(() => {
    const host = window.gallery.host('long');
    while (host.loaded < 10_000) host.older();
  });
  for (const share of [0.9, 0.5, 0.1, 0]) {
    await page.getByRole('log').evaluate((node, part) => {
      node.scrollTop = node.scrollHeight * part;
    }, share);
    await frames(page, 2);
    expect(await nodes()).toBeLessThanOrEqual(1_500);
  }
});

test('C11 streaming does not pull back a scrolling user, and nothing moves when content above grows', async () => {
  const page = await open('long', { height: 700 });
  await entry(page, 'e9999').waitFor();
  await page.evaluate(() => {
    const host = window.gallery.host('long');
    host.emit({
      kind: 'entry.opened',
      entry: { kind: 'text', id: 'above', status: 'partial', text: 'Above. ' },
    });
    for (let index = 0; index < 12; index++) {
      const text = `Row ${index}. ${'Words of it. '.repeat(20)}`;
      host.emit({ kind: 'entry.opened', entry: { kind: 'text', id: `r${index}`, status: 'complete', text } });
    }
    host.emit({ kind: 'entry.opened', entry: { kind: 'text', id: 'end', status: 'partial', text: 'End. ' } });
  });
  await entry(page, 'end').waitFor();
  const top = (id: string) => entry(page, id).evaluate((node) => node.getBoundingClientRect().top);
  const grow = (id: string) =>
    page.evaluate((name) => window.gallery.host('long').stream(name, 'And it continues. '.repeat(40)), id);
  await still(page, () => top('end'));
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -120);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  const before = await still(page, () => top('r9'));
  for (let turn = 0; turn < 5; turn++) await grow('end');
  expect(await still(page, () => top('r9'))).toBe(before);
  for (let turn = 0; turn < 3; turn++) await grow('above');
  expect(Math.abs((await still(page, () => top('r9'))) - before)).toBeLessThanOrEqual(1);
  await page.mouse.wheel(0, -60);
  await expect.poll(async () => Math.round((await top('r9')) - before)).toBe(60);
});

test('C11 the wheel wins over a late scroll event', async () => {
  const page = await open('long', { height: 700 });
  await entry(page, 'e9999').waitFor();
  const top = () => entry(page, 'e9999').evaluate((node) => node.getBoundingClientRect().top);
  const before = await still(page, top);
  // The order on a busy machine: the wheel, the scroll of an earlier correction, then the wheel's own.
  await page.getByRole('log').evaluate((log) => {
    log.dispatchEvent(new WheelEvent('wheel', { deltaY: -120 }));
    log.dispatchEvent(new Event('scroll'));
    window.gallery
      .host('long')
      .emit({ kind: 'entry.opened', entry: { kind: 'text', id: 'end', status: 'partial', text: 'End. ' } });
    log.scrollTop -= 120;
  });
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(Math.round((await still(page, top)) - before)).toBe(120);
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, 2_000);
  await expect.poll(() => page.getByRole('button', { name: '1 new' }).count()).toBe(0);
});

test('C11 of a last request that is higher than the view the beginning is followed, not the end', async () => {
  const page = await open('long', { height: 500 });
  await entry(page, 'e9999').waitFor();
  const left = () =>
    page.getByRole('log').evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
  // While its input streams, the end of it is followed.
  await page.evaluate(() => {
    const lines = Array.from({ length: 40 }, (_, line) => `+echo ${line}`);
    const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 40, lines }];
    const id = 'b1';
    const tool = { id, kind: 'tool', name: 'Bash', title: 'x', toolKind: 'shell', state: 'waiting' } as const;
    window.gallery.host('long').emit({
      kind: 'entry.opened',
      entry: { ...tool, status: 'partial', diff: [{ path: 'x.sh', hunks }] },
    });
  });
  await entry(page, 'b1').waitFor();
  await expect.poll(left).toBeLessThan(2);
  await page.evaluate(() => {
    const value = Array.from({ length: 14 }, (_, line) => `echo ${line}`).join('\n');
    window.gallery.host('long').emit({
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
          title: value,
          fields: [{ label: 'Command', value, form: 'code' }],
          options: [{ id: 'once', label: 'Yes', effect: 'allow-once' }],
          canEdit: false,
          canComment: false,
        },
      },
    });
  });
  const request = page.getByRole('group', { name: 'Permission: Bash' });
  await request.waitFor();
  /** Distances of the request's edges from those of the log; positive is inside. */
  const edges = () =>
    request.evaluate((node) => {
      const frame = node.closest('.entry-scroll')?.getBoundingClientRect();
      const { top, bottom } = node.getBoundingClientRect();
      return { above: Math.round(top - (frame?.top ?? 0)), below: Math.round((frame?.bottom ?? 0) - bottom) };
    });
  const before = await still(page, edges);
  expect(before.above).toBeGreaterThanOrEqual(-1);
  expect(before.above).toBeLessThan(40);
  expect(before.below).toBeLessThan(0);
  // Still following, and the user may scroll on.
  await expect.poll(() => page.getByRole('button', { name: /Jump to latest|new$/ }).count()).toBe(0);
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, 2_000);
  await expect.poll(async () => (await edges()).below).toBeGreaterThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 496 });
  expect((await still(page, edges)).below).toBeGreaterThanOrEqual(-4);
  await page.evaluate(() => {
    const text = 'And it continues. '.repeat(200);
    window.gallery
      .host('long')
      .emit(
        { kind: 'request.settled', entry: 'p1', status: 'withdrawn' },
        { kind: 'entry.opened', entry: { kind: 'text', id: 'end', status: 'complete', text } },
      );
  });
  await entry(page, 'end').waitFor();
  await expect.poll(left).toBeLessThan(2);
});

test('A8 an answer that the agent discarded is not just gone: a note says that it was cut off', async () => {
  const page = await open('rest');
  await page.evaluate(() => {
    const host = window.gallery.host('rest');
    host.emit(
      { kind: 'turn.started', turn: 't1', origin: 'agent', prompts: [] },
      { kind: 'entry.opened', entry: { kind: 'text', id: 'a1', status: 'partial', text: '', turn: 't1' } },
    );
    host.stream('a1', 'Prices come from three places.');
  });
  await entry(page, 'a1').getByText('three places').waitFor();
  const note = page.getByRole('note').filter({ hasText: 'The answer was cut off' });
  await expect.poll(() => note.count()).toBe(0);
  await page.evaluate(() => {
    window.gallery
      .host('rest')
      .emit({ kind: 'entry.closed', entry: 'a1', status: 'cancelled', patch: { text: '' } });
  });
  await note.getByText(/is asking the model again\./).waitFor();
  await page.evaluate(() => {
    window.gallery.host('rest').emit({
      kind: 'entry.opened',
      entry: { kind: 'text', id: 'a2', status: 'complete', text: 'From four places.', turn: 't1' },
    });
  });
  await note.waitFor({ state: 'detached' });
});
