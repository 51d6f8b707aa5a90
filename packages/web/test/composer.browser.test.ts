/**
 * Composer, header, tasks and palette in a real browser, over the gallery; the server's two routes are faked here.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type PageOptions, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { isWhole } from '@tugdeck/testkit/whole';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

/** Only in the full tier: covered by a faster test as well, or too slow here. */
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const HASH = 'a'.repeat(64);

const gallery = shareGallery();

async function open(options: PageOptions = {}): Promise<Page> {
  const prepare = (page: Page) =>
    page.route('**/api/files?*', (route) => {
      const query = new URL(route.request().url()).searchParams.get('q') ?? '';
      const files = [
        { path: 'src/', kind: 'folder' },
        { path: 'src/app.ts', kind: 'file' },
        { path: 'docs/my notes.md', kind: 'file' },
      ].filter(({ path }) => path.includes(query));
      return route.fulfill({ json: { files } });
    });
  const page = await gallery.open('samples', { ...options, prepare });
  await page.evaluate(() => window.gallery.host('samples').emit(...window.composerSamples.offers()));
  return page;
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const sent = (page: Page) => page.evaluate(() => window.gallery.host('samples').sent);
const run = (page: Page) =>
  page.evaluate(() => window.gallery.host('samples').emit(...window.samples.runningChanges()));
const pick = async (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await chooser).setFiles(files);
};
const tray = (page: Page) => page.getByRole('list', { name: 'Files to send' });

test('C9 C25 on a touch screen, photos and dictation are offered; the browser listens only after the user agreed', async () => {
  const page = await gallery.open('samples', {
    isOwn: true,
    isPhone: true,
    width: 390,
    height: 844,
    prepare: (fresh) => fresh.addInitScript(fakeSpeech),
  });
  const inputs = () =>
    page
      .locator('.composer-foot input[type=file]')
      .evaluate((node: HTMLInputElement) => [node.accept, node.getAttribute('capture')]);
  for (const [name, expected] of [
    ['Take photo', ['image/*', 'environment']],
    ['Choose photos', ['image/*', null]],
    ['Choose files', ['', null]],
  ] as const) {
    await page.getByRole('button', { name: 'Attach files' }).tap();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name }).tap();
    await (await chooser).setFiles([{ name: 'dot.png', mimeType: 'image/png', buffer: PNG }]);
    expect(await inputs()).toEqual(expected);
  }
  await expect.poll(() => tray(page).getByRole('listitem').count()).toBe(3);

  const speak = (text: string, isFinal: boolean) =>
    page.evaluate(([words, final]) => window.speech.recognize(words, final), [text, isFinal] as const);
  await box(page).fill('Please');
  await page.getByRole('button', { name: 'Dictate', exact: true }).tap();
  const dialog = page.getByRole('dialog', { name: 'Dictate with this browser?' });
  await dialog.getByRole('button', { name: 'Cancel' }).tap();
  expect(await page.evaluate(() => window.speech.starts)).toBe(0);
  await page.getByRole('button', { name: 'Dictate', exact: true }).tap();
  await pressAnswer(dialog.getByRole('button', { name: 'Dictate' }));
  await page.getByText('Listening…').waitFor();
  await speak('fix the', false);
  await page.getByText('fix the', { exact: true }).waitFor();
  await speak('fix the test', true);
  await expect.poll(() => box(page).inputValue()).toBe('Please fix the test');
  await page.getByRole('button', { name: 'Dictate', exact: true }).tap();
  await page.evaluate(() => window.speech.fail('network'));
  await page.getByText('The browser’s speech service can’t be reached.').waitFor();
  expect(await page.evaluate(() => window.speech.starts)).toBe(2);
});

declare global {
  interface Window {
    speech: { starts: number; recognize(text: string, isFinal: boolean): void; fail(error: string): void };
  }
}

/** A speech recognition with words of the test. Runs in the page. */
function fakeSpeech(): void {
  let current: FakeRecognition | undefined;
  class FakeRecognition {
    onresult?: (event: object) => void;
    onerror?: (event: object) => void;
    onend?: () => void;
    start(): void {
      current = this;
      window.speech.starts++;
    }
    stop(): void {
      this.onend?.();
    }
    abort(): void {
      this.onend?.();
    }
  }
  window.speech = {
    starts: 0,
    recognize(text, isFinal) {
      current?.onresult?.({ results: [Object.assign([{ transcript: text }], { isFinal })] });
      if (isFinal) current?.onend?.();
    },
    fail(error) {
      current?.onerror?.({ error });
      current?.onend?.();
    },
  };
  Object.assign(window, { SpeechRecognition: FakeRecognition });
}

test('D49 saves the message as a prompt, and asks for its variables when it is inserted', async () => {
  const page = await open();
  await box(page).fill('Review {{file}}, then {{file}} again');
  await page.getByRole('button', { name: 'Saved prompts' }).click();
  await page.getByRole('menuitem', { name: 'Save message as prompt…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save prompt' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('code review');
  await dialog.getByText('Asks for file').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await box(page).fill('');
  await box(page).pressSequentially('/revi');
  const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
  await options.filter({ hasText: '/code-review' }).click();
  const form = page.getByRole('form', { name: 'Fill in code-review' });
  await form.getByRole('textbox', { name: 'file' }).fill('app.ts');
  await page.keyboard.press('Enter');
  await expect.poll(() => box(page).inputValue()).toBe('Review app.ts, then app.ts again');
  await expect.poll(() => box(page).evaluate((node) => node === document.activeElement)).toBe(true);
  expect(await sent(page)).toEqual([]);
});

test('C9 completes a command by a few letters, with its description and argument hint', async () => {
  const page = await open();
  await box(page).pressSequentially('/om');
  const list = page.getByRole('listbox', { name: 'Commands' });
  const options = list.getByRole('option');
  await expect
    .poll(() => options.allInnerTexts())
    .toEqual([
      expect.stringMatching(/\/compact\s+\[what to keep\]\s+Shorten/),
      expect.stringContaining('/pr-comments'),
    ]);
  await page.keyboard.press('ArrowDown');
  const second = await options.nth(1).getAttribute('id');
  await expect.poll(() => box(page).getAttribute('aria-activedescendant')).toBe(second);
  await page.keyboard.press('Tab');
  await expect.poll(() => box(page).inputValue()).toBe('/pr-comments ');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await expect.poll(() => box(page).inputValue()).toBe('/om');
});

test('C9 Enter accepts the chosen command, and sends one that is typed out', async () => {
  const page = await open();
  await box(page).pressSequentially('/rev');
  await page.getByRole('option', { name: /^\/review/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => box(page).inputValue()).toBe('/review ');
  expect(await sent(page)).toEqual([]);
  await box(page).fill('');
  await box(page).pressSequentially('/review');
  await page.getByRole('listbox', { name: 'Commands' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => sent(page)).toMatchObject([{ kind: 'prompt.send', text: '/review' }]);
});

test('A15 a command sent while the agent starts waits until its commands are known', async () => {
  const page = await open();
  const starting = () =>
    page.evaluate(() =>
      window.gallery
        .host('samples')
        .emit(
          { kind: 'agent.changed', agent: { state: 'starting' } },
          { kind: 'session.described', facts: { commands: [] } },
        ),
    );
  const note = page.getByText('will run when it’s ready');
  await starting();
  await box(page).fill('/rewind');
  await page.keyboard.press('Enter');
  await note.waitFor();
  expect(await sent(page)).toEqual([]);
  await page.evaluate(() =>
    window.gallery.host('samples').emit(
      {
        kind: 'session.described',
        facts: { commands: [{ name: 'rewind', surface: 'rewind' }] },
      },
      { kind: 'agent.changed', agent: { state: 'connected' } },
    ),
  );
  await page.getByText('Choose “Restore to here”').waitFor();
  await expect.poll(() => box(page).inputValue()).toBe('');
  // An agent that did not start leaves the text in the composer.
  await starting();
  await box(page).fill('/rewind');
  await page.keyboard.press('Enter');
  await note.waitFor();
  await page.evaluate(() =>
    window.gallery.host('samples').emit({ kind: 'agent.changed', agent: { state: 'failed' } }),
  );
  await note.waitFor({ state: 'detached' });
  await expect.poll(() => box(page).inputValue()).toBe('/rewind');
  expect(await sent(page)).toEqual([]);
});

test('C9 completes a file inside text, continues inside a folder, and quotes names with spaces', async () => {
  const page = await open();
  const files = page.getByRole('listbox', { name: 'Files' });
  await box(page).pressSequentially('look at @sr');
  await files.getByRole('option', { name: 'src/', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => box(page).inputValue()).toBe('look at @src/');
  await files.getByRole('option', { name: 'app.ts' }).click();
  await expect.poll(() => box(page).inputValue()).toBe('look at @src/app.ts ');
  await page.keyboard.type('and @notes');
  // Results for fewer letters may still be listed.
  await expect
    .poll(() => files.getByRole('option').allInnerTexts())
    .toEqual([expect.stringContaining('my notes')]);
  await page.keyboard.press('Tab');
  await expect.poll(() => box(page).inputValue()).toBe('look at @src/app.ts and @"docs/my notes.md" ');
  expect(await sent(page)).toEqual([]);
});

testFull('C9 Esc closes the list without stopping the turn; an email address opens none', async () => {
  const page = await open();
  await run(page);
  await box(page).pressSequentially('/re');
  const list = page.getByRole('listbox');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.type('v');
  await expect.poll(() => list.count()).toBe(0);
  expect(await sent(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => sent(page)).toMatchObject([{ kind: 'turn.cancel' }]);
  await box(page).fill('me@sr');
  await expect.poll(() => list.count()).toBe(0);
});

testFull('C9 Ctrl+Enter sends while a list is open', async () => {
  const page = await open();
  await box(page).pressSequentially('look at @sr');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => sent(page)).toMatchObject([{ kind: 'prompt.send', text: 'look at @sr' }]);
});

test('C9 files are picked, shown, removed and sent; C1 they are shown under the message', async () => {
  const page = await open();
  await pick(page, [
    { name: 'shot.png', mimeType: 'image/png', buffer: PNG },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes') },
    { name: 'other.ts', mimeType: 'video/mp2t', buffer: Buffer.from('let a = 1;') },
  ]);
  await tray(page).getByText('70 B').waitFor();
  await page.getByRole('button', { name: 'Remove other.ts' }).click();
  await expect.poll(() => tray(page).getByRole('listitem').count()).toBe(2);
  await page.keyboard.press('Escape');
  await box(page).fill('Look at these');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => sent(page))
    .toMatchObject([
      {
        kind: 'prompt.send',
        text: 'Look at these',
        attachments: [
          { name: 'shot.png', mimeType: 'image/png', size: PNG.length, data: PNG.toString('base64') },
          { name: 'notes.md', mimeType: 'text/markdown', data: Buffer.from('# Notes').toString('base64') },
        ],
      },
    ]);
  await expect.poll(() => tray(page).count()).toBe(0);
  const message = page.getByRole('article').filter({ hasText: 'Look at these' });
  await message.getByRole('list', { name: 'Attached files' }).getByText('notes.md').waitFor();
  await message.getByRole('button', { name: 'Show shot.png' }).click();
  const picture = page.getByRole('dialog', { name: 'shot.png' }).getByRole('img', { name: 'shot.png' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await page.keyboard.press('Escape');
  await picture.waitFor({ state: 'detached' });
});

testFull('C9 rejects files that cannot be sent with a reason, and takes at most twenty', async () => {
  const page = await open();
  await pick(page, [
    { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.from('x') },
    { name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(5 * 1024 * 1024 + 1) },
  ]);
  const alert = page.getByRole('alert');
  await alert
    .getByText('film.mp4: only images (PNG, JPEG, GIF, WebP), PDFs and text files can be attached')
    .waitFor();
  await alert.getByText('huge.png is too large (5.0 MB). The limit for images is 5.0 MB').waitFor();
  await expect.poll(() => tray(page).count()).toBe(0);
  await pick(
    page,
    Array.from({ length: 21 }, (_, index) => ({
      name: `${index}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('x'),
    })),
  );
  await expect.poll(() => tray(page).getByRole('listitem').count()).toBe(20);
  await alert.getByText('20.txt: you can attach up to 20 files per message').waitFor();
});

test('X2 a large file is uploaded, and the message waits for it', async () => {
  const page = await open();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let uploaded = 0;
  await page.route('**/api/upload/samples', async (route) => {
    uploaded = route.request().postDataBuffer()?.length ?? 0;
    await held;
    await route.fulfill({ status: 201, json: { blob: HASH, size: 9, head: '', tail: '' } });
  });
  await pick(page, [{ name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.alloc(40_000, 'x') }]);
  await tray(page).getByText('Uploading…').waitFor();
  await box(page).fill('Read it');
  await page.keyboard.press('Enter');
  expect(await sent(page)).toEqual([]);
  answer();
  await page.getByRole('article').filter({ hasText: 'Read it' }).waitFor();
  expect(uploaded).toBe(40_000);
  await expect
    .poll(() => sent(page))
    .toMatchObject([
      { text: 'Read it', attachments: [{ name: 'big.txt', size: 40_000, data: { blob: HASH } }] },
    ]);
});

test('C9 attaches files dropped on the card or pasted; pasted text stays text', async () => {
  const page = await open();
  const give = (target: 'log' | 'box', event: 'drop' | 'paste', text: string) =>
    page.evaluate(
      ([where, kind, plain]) => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], `${kind}.txt`, { type: 'text/plain' }));
        if (plain) data.setData('text/plain', plain);
        const node = document.querySelector(where === 'log' ? '[role="log"]' : 'textarea');
        const init = { bubbles: true, cancelable: true };
        node?.dispatchEvent(
          kind === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data }),
        );
      },
      [target, event, text] as const,
    );
  await give('log', 'drop', '');
  await tray(page).getByText('drop.txt').waitFor();
  await give('box', 'paste', '');
  await tray(page).getByText('paste.txt').waitFor();
  await give('box', 'paste', 'words');
  await expect.poll(() => tray(page).getByRole('listitem').count()).toBe(2);
});

testFull('C9 keeps the files of a session while another card is shown', async () => {
  const page = await open();
  await pick(page, [{ name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
  await tray(page).getByText('kept.txt').waitFor();
  await page.evaluate(() => {
    location.hash = '#/session/rest';
  });
  await page.getByRole('heading', { name: 'What do you want to work on?' }).waitFor();
  await expect.poll(() => tray(page).count()).toBe(0);
  await page.goBack();
  await tray(page).getByText('kept.txt').waitFor();
});

testFull('C9 steers a new or queued message, and moves it by keys', async () => {
  const page = await open();
  await run(page);
  await box(page).fill('first');
  await page.getByRole('button', { name: 'Queue', exact: true }).click();
  await box(page).fill('second');
  await page.keyboard.press('Enter');
  const queue = page.getByRole('list', { name: 'Queued messages' });
  const rows = queue.getByRole('listitem');
  await queue.getByRole('button', { name: 'second', exact: true }).focus();
  const before = await rows.count();
  await page.keyboard.press('Alt+ArrowUp');
  await rows
    .nth(before - 2)
    .getByText('second')
    .waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('second');
  await rows
    .nth(before - 2)
    .getByRole('button', { name: 'Steer with this' })
    .click();
  await box(page).fill('now');
  await page.getByRole('button', { name: 'Steer', exact: true }).click();
  await expect
    .poll(async () => (await sent(page)).slice(2))
    .toMatchObject([
      { kind: 'prompt.move', to: before - 2 },
      { kind: 'prompt.steer' },
      { kind: 'prompt.send', text: 'now', steer: true },
    ]);
});

test('C13 tasks are pinned, live and collapsible, and absent without todos', async () => {
  const page = await open();
  const tasks = page.getByRole('region', { name: 'Tasks' });
  await expect.poll(() => tasks.count()).toBe(0);
  await page.evaluate(() => window.gallery.host('samples').emit(...window.composerSamples.todos()));
  await tasks.getByText('1/4').waitFor();
  await tasks.getByText('Fixing the order').waitFor();
  await tasks.getByRole('button').click();
  await expect
    .poll(() => tasks.getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringContaining('Find the failing test'),
      expect.stringContaining('Fixing the order'),
      expect.stringMatching(/Run all tests\s+blocked by Fix the order of cookie and redirect/),
      expect.stringMatching(/Write it down\s+writer/),
    ]);
  await tasks.getByRole('button').click();
  await page.evaluate(() => {
    const { TODOS, todos } = window.composerSamples;
    const done = TODOS.map((todo) => ({ ...todo, state: 'done' as const }));
    window.gallery.host('samples').emit(...todos(done));
  });
  await tasks.getByText('All done').waitFor();
  await page.evaluate(() => window.gallery.host('samples').emit(...window.composerSamples.todos([])));
  await tasks.waitFor({ state: 'detached' });
});

test('C14 the menu renames, restarts, stops and archives', async () => {
  const page = await open();
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Rename');
  await page.getByRole('textbox', { name: 'Title' }).fill('Cookies first');
  await page.keyboard.press('Enter');
  await page.locator('.card-title').dblclick();
  await page.getByRole('textbox', { name: 'Title' }).press('Escape');
  await choose('Restart agent');
  await choose('Stop agent');
  await expect.poll(() => sent(page)).toMatchObject([{ kind: 'agent.restart' }, { kind: 'agent.stop' }]);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /^Archive/ }).click();
  await expect
    .poll(() => page.evaluate(() => window.gallery.requests))
    .toMatchObject([
      { type: 'session.rename', session: 'samples', title: 'Cookies first' },
      { type: 'session.archive', session: 'samples', archived: true },
    ]);
});

test('S5 archiving during a turn has to be confirmed', async () => {
  const page = await open();
  await run(page);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /^Archive/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Still working' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.evaluate(() => window.gallery.requests)).toEqual([]);
});

test.each([
  ['Markdown', /\.md$/],
  ['JSON', /\.json$/],
] as const)('C14 the whole conversation is exported as %s', async (form, name) => {
  const page = await open();
  // More than is loaded: older pages must be loaded first.
  await page.evaluate(() => {
    window.gallery.host('rest').sayMany(700);
    location.hash = '#/session/rest';
  });
  await page.getByText('Entry 699.').first().waitFor();
  await page.getByRole('button', { name: 'Session actions' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: `Export as ${form}` }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(name);
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain('Entry 0.');
  expect(text).toContain('Entry 699.');
  if (form === 'JSON') expect(JSON.parse(text).entries).toHaveLength(700);
});

test('A14 C9 effort is chosen like mode and model; a dangerous mode has to be confirmed', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Effort: High effort' }).click();
  await page.getByRole('menuitemradio', { name: 'Low effort' }).click();
  await page.getByRole('button', { name: 'Mode: Ask first' }).click();
  await page.getByRole('menuitemradio', { name: 'Do everything' }).click();
  await expect
    .poll(() => sent(page))
    .toMatchObject([{ kind: 'session.configure', option: 'effort', value: 'low' }]);
  await page.getByRole('dialog').getByRole('button', { name: 'Use Do everything' }).click();
  const last = async () => (await sent(page)).at(-1);
  await expect.poll(last).toMatchObject({ option: 'mode', value: 'free', confirmed: true });
  await page.getByRole('button', { name: 'More settings' }).click();
  await page.getByRole('menuitemradio', { name: 'Fast mode off', checked: true }).waitFor();
  await page.getByRole('menuitemradio', { name: 'Style: Teaching' }).click();
  await expect.poll(last).toMatchObject({ option: 'style', value: 'teaching' });
});

test('A14 a choice is offered as the default of new sessions until it is the default', async () => {
  const page = await open();
  const choose = async (name: 'Large' | 'Small') => {
    await page.getByRole('button', { name: /^Model: / }).click();
    await page.getByRole('menuitemradio', { name }).click();
    const asked = page.locator('.picker.is-asked');
    await asked.waitFor();
    const model = name.toLowerCase();
    await page.evaluate(
      (facts) => window.gallery.host('samples').emit({ kind: 'session.described', facts }),
      { model },
    );
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Model: ${name}` }).click();
  };
  const offer = page.getByRole('menuitem', { name: 'Make Small the default for new sessions' });
  await choose('Small');
  await offer.click();
  await page.getByText('New sessions in this project will use Small').waitFor();
  await page.getByRole('button', { name: 'Model: Small' }).click();
  await page.getByRole('menuitemradio', { name: 'Small', checked: true }).waitFor();
  await expect.poll(() => offer.count()).toBe(0);
  await page.keyboard.press('Escape');
  await choose('Large');
  await page.getByRole('menuitem', { name: 'Make Large the default for new sessions' }).waitFor();
});

testFull('C14 the gauge opens the usage details', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Usage' }).click();
  const usage = page.getByRole('dialog', { name: 'Usage' });
  await usage.getByRole('row', { name: 'Cost $0.03 $0.32' }).waitFor();
  await usage.getByText('Memory files').waitFor();
  await usage.getByText('4k, $0.32').waitFor();
  await screenshot(page, 'usage');
  await usage.getByRole('meter', { name: 'Context used' }).waitFor();
});

test('C14 after a choice in the foot of the composer, typing continues in the message', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Model: Large' }).click();
  await page.getByRole('menuitemradio', { name: 'Small' }).click();
  await page.keyboard.type('Go on');
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Go on');
});

test.each([225, 300, 390, 560, 900])('C14 mode, model and effort are readable (%i px)', async (width) => {
  const page = await open({ width });
  for (const name of ['Model: Large', 'Mode: Ask first', 'Effort: High effort']) {
    const picker = page.getByRole('button', { name });
    await expect
      .poll(() => picker.locator('.truncate').evaluate((node) => node.scrollWidth <= node.clientWidth))
      .toBe(true);
    // Nothing covers or clips its ends.
    await expect.poll(() => picker.evaluate(isWhole)).toBe(true);
  }
  for (const part of ['.card-header', '.composer-foot']) {
    const node = page.locator(part);
    await expect
      .poll(() => node.evaluate((element) => element.scrollWidth <= element.clientWidth))
      .toBe(true);
  }
});

test('D4 the palette finds sessions, projects and actions, recent ones first', async () => {
  const page = await open();
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  await page.keyboard.type('renthi');
  await palette.getByRole('option', { name: /Rename things in the parser/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: /Rename things in the parser/ }).waitFor();
  await page.keyboard.press('Control+k');
  await expect
    .poll(() => palette.getByRole('option').first().innerText())
    .toContain('Rename things in the parser');
  await page.keyboard.type('add proj');
  await palette.getByRole('option', { name: /Add project/i, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add project' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await expect.poll(() => box(page).evaluate((node) => node === document.activeElement)).toBe(true);
});

test('D4 the palette runs card actions; Esc closes it before the next key', async () => {
  const page = await open();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  const left = await page.evaluate(async () => {
    document.querySelector('.list-dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }));
    await Promise.resolve();
    return document.querySelectorAll('dialog').length;
  });
  expect(left).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  await page.keyboard.type('rename');
  // The card's actions exist once its header is rendered.
  await page.getByRole('option', { name: /^Rename/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  await expect.poll(() => title.evaluate((node) => node === document.activeElement)).toBe(true);
});

test('D44 on Home the palette has no actions of a session', async () => {
  const page = await open();
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  const options = palette.getByRole('option');
  const ofSession = options.filter({ has: page.getByText('This session', { exact: true }) });
  await page.keyboard.press('Control+k');
  await ofSession.first().waitFor();
  const panel = options.filter({ hasText: /^Show this session’s/ });
  const query = palette.getByRole('combobox');
  const listed = options.filter({ hasText: 'Search conversations for “Show this session”' });
  await query.fill('Show this session');
  await listed.waitFor();
  await expect.poll(() => panel.count()).toBe(5);
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await page.evaluate(() => {
    location.hash = '#/home';
  });
  await page.getByRole('region', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await options.first().waitFor();
  await expect.poll(() => ofSession.count()).toBe(0);
  await query.fill('Show this session');
  await listed.waitFor();
  await expect.poll(() => panel.count()).toBe(0);
  await query.fill('zzzz no such thing');
  await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringMatching(/^Search conversations/)]);
});

test('D4 ? shows the shortcuts, but not while typing', async () => {
  const page = await open();
  await box(page).press('?');
  await expect.poll(() => box(page).inputValue()).toBe('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect.poll(() => keys.count()).toBe(0);
  await page.getByRole('log', { name: 'Conversation' }).focus();
  await page.keyboard.press('?');
  await keys.getByText('Command palette').first().waitFor();
});

test.each(process.env.TUGDECK_TEST_FULL === '1' ? (['dark', 'light'] as const) : (['light'] as const))(
  'D9 axe finds no serious violation with everything open (%s)',
  async (theme) => {
    const page = await open({ theme });
    await page.evaluate(() => window.gallery.host('samples').emit(...window.composerSamples.todos()));
    await page.getByRole('region', { name: 'Tasks' }).getByRole('button').click();
    await pick(page, [{ name: 'shot.png', mimeType: 'image/png', buffer: PNG }]);
    await tray(page).getByText('70 B').waitFor();
    // Colors are checked after transitions have ended.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await box(page).pressSequentially('/');
    await page.getByRole('listbox').waitFor();
    const look = async () => {
      await page.evaluate(await readFile(AXE, 'utf8'));
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
        return (await axe.run()).violations;
      });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    };
    expect(await look()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    expect(await look()).toEqual([]);
  },
);

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}
