/**
 * Hostile texts in every place of the page, under the server's CSP: none runs, loads, navigates, escapes its
 * container or breaks the page, and the page stays fast.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { conversationHtml } from '@tugdeck/protocol/export/html-document';
import type { MarkdownToken } from '@tugdeck/protocol/export/html-markdown';
import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { frames } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { lex } from '../src/features/markdown/lex.ts';
import { limitMarks, visibleProse, visibleText } from '../src/kit/visible-text.ts';
import { shareGallery } from './gallery/share-gallery.ts';
import { entriesOf, factsOf } from './injection-entries.ts';
import { INPUTS, LARGE } from './injection-inputs.ts';

const gallery = shareGallery({
  // Hundreds of entries at once take time on a busy machine.
  patience: 120_000,
  allowed: [/Failed to load resource/, /Content Security Policy directive/],
});
const guarded = new WeakSet<Page>();
/** Requests to other hosts, and opened pages. */
const outside: string[] = [];

interface Guarded {
  readonly page: Page;
  /** Scripts that ran, CSP violations, requests to other hosts, and opened pages. */
  alarms(): Promise<readonly string[]>;
}

async function open(session: string): Promise<Guarded> {
  const page = await gallery.open(session, { height: 3_000, prepare: guard });
  const ran = () => page.evaluate(() => (window as unknown as { ran: string[] }).ran);
  return { page, alarms: async () => [...(await ran()), ...outside] };
}

async function guard(page: Page): Promise<void> {
  outside.length = 0;
  if (guarded.has(page)) return;
  guarded.add(page);
  page.on('dialog', (dialog) => {
    outside.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(gallery.url) && !/^(data:image\/|blob:)/.test(url)) outside.push(`request ${url}`);
  });
  page.on('framenavigated', (frame) => {
    // The pages that draw formulas and diagrams are sandboxed and ours.
    const isOurs = [`${gallery.url}#/`, `${gallery.url}drawing/`].some((start) =>
      frame.url().startsWith(start),
    );
    if (!isOurs && !/^about:blank$|\/blank$/.test(frame.url())) outside.push(`navigation ${frame.url()}`);
  });
  page.context().on('page', (other) => outside.push(`opened ${other.url()}`));
  await page.addInitScript(() => {
    const ran: string[] = [];
    Object.assign(window, { ran });
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) {
      Object.assign(window, { [name]: () => ran.push(name) });
    }
    // Chromium also reports content that the sanitizer parses in a separate document, where nothing can run:
    // without an element, or with one that is clean by the time of the event.
    const inert = /^(script-src-attr|style-src-elem|style-src-attr|base-uri)$/;
    const isClean = (node: unknown) =>
      !(node instanceof Element) || node.getAttributeNames().every((name) => !/^(on|style$)/.test(name));
    document.addEventListener('securitypolicyviolation', ({ target, violatedDirective, blockedURI }) => {
      if (!inert.test(violatedDirective) || !isClean(target)) {
        ran.push(`policy ${violatedDirective} ${blockedURI}`);
      }
    });
  });
  await page.addInitScript({ content: `window.audit = ${audit.toString()}` });
}

const emit = (page: Page, session: string, changes: readonly ChangeBody[]) =>
  page.evaluate(
    ([id, bodies]) => {
      const host = window.gallery.host(id);
      host.emit(...bodies);
      while (host.loaded < bodies.length) host.older();
    },
    [session, changes] as const,
  );

/** Everything that untrusted text must never create; run on the rendered page. */
function audit(): string[] {
  const found: string[] = [];
  // The only allowed frame is our sandboxed page for formulas and diagrams.
  const tags =
    'script:not([src^="/assets/"]), iframe:not(.drawing-frame[sandbox="allow-scripts"][src^="/drawing/"]), frame, object, embed, applet, base, style, template, math, audio, video, source, portal, frameset, marquee, dialog:not(.dialog), [autofocus], [srcdoc], [formaction], [ping], [background], [contenteditable]';
  for (const node of document.body.querySelectorAll(tags)) found.push(node.outerHTML.slice(0, 200));
  // Besides the icons, only our own: an agent's mark from our catalog, the brand mark and the glyph of a state.
  const drawings = [
    /^<svg class="agent-mark" viewBox="0 0 16 16" aria-hidden="true"><path d="[-\w .]+"><\/path><\/svg>$/,
    /^<svg class="brand-mark" width="\d+" height="\d+" viewBox="0 0 32 32" aria-hidden="true">(<path class="brand-(hull|cabin|funnel)" d="[-\w .]+"><\/path>){3}<\/svg>$/,
    /^<svg class="glyph" data-state="[a-z]+" data-seen="(true|false)" viewBox="0 0 12 12" aria-hidden="true">(<(path|circle|rect) class="glyph-(halo|fill|track|line)( glyph-(arc|dotted))?"( (d|cx|cy|r|x|y|width|height|rx)="[-\w .]+")+><\/\3>){1,2}<\/svg>$/,
  ];
  for (const node of document.body.querySelectorAll('svg:not(.lucide)')) {
    if (!drawings.some((drawing) => drawing.test(node.outerHTML))) found.push(node.outerHTML.slice(0, 200));
  }
  for (const node of document.body.querySelectorAll('form')) {
    if (node.hasAttribute('action')) found.push(node.outerHTML.slice(0, 200));
  }
  for (const node of document.body.querySelectorAll('*')) {
    for (const { name, value } of node.attributes) {
      const isAddress = /^(href|src|xlink:href|action|poster|srcset)$/.test(name);
      const scheme =
        isAddress && URL.canParse(value, location.href) ? new URL(value, location.href) : undefined;
      const isAllowed =
        !scheme || /^(https?|mailto|blob):$/.test(scheme.protocol) || /^data:image\//.test(value);
      const isOwn = name === 'href' || !scheme || scheme.protocol !== 'https:';
      if (/^on/.test(name) || !isAllowed || !isOwn) found.push(`${node.tagName} ${name}=${value}`);
    }
  }
  const { clobbered, polluted } = window as unknown as Record<string, unknown>;
  if (clobbered !== undefined || document.getElementById('clobbered')) found.push('clobbered');
  if (polluted !== undefined || ({} as Record<string, unknown>).polluted !== undefined)
    found.push('polluted');
  if (typeof document.cookie !== 'string' || typeof document.createElement !== 'function')
    found.push('document');
  if (typeof window.gallery.host !== 'function') found.push('gallery');
  for (const crash of document.querySelectorAll('.crash')) found.push(`crash: ${crash.textContent}`);
  return found;
}

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
/** A fifth of the texts for the slower paths; all of them in the full tier. */
const SOME = IS_FULL ? INPUTS : INPUTS.filter((_, at) => at % 5 === 0);
/** Every place gets more than a dozen texts; in the full tier all of them. */
function placesOf(entries: readonly ChangeBody[], at: number): readonly ChangeBody[] {
  return entries.filter((_, index) => IS_FULL || (index + at) % 16 === 0);
}

/**
 * Renders the whole list from its top, expands everything and checks each part. Newly measured rows move the
 * others, so rows that were skipped are visited again.
 */
async function walk(
  log: Element,
  { first, wanted }: { first: string; wanted: number },
): Promise<{ seen: number; found: string[] }> {
  const audit = (window as unknown as { audit(): string[] }).audit;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const folds = ['.line-button', '.notice button', '.tool-line'].map((one) => `${one}[aria-expanded=false]`);
  const seen = new Set<string>();
  const found = new Set<string>();
  log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
  for (let round = 0; round < 4 && seen.size < wanted; round++) {
    // Waits for the first entry: the list may not be rendered yet.
    do {
      log.scrollTop = 0;
      await frame();
    } while (!log.querySelector(`[data-entry-id="${CSS.escape(first)}"]`));
    for (let isEnd = false; !isEnd; ) {
      await frame();
      for (const fold of log.querySelectorAll<HTMLElement>(folds.join())) fold.click();
      await frame();
      for (const article of log.querySelectorAll('article')) seen.add(article.dataset.entryId ?? '');
      for (const thing of audit()) found.add(thing);
      isEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 1;
      log.scrollTop += log.clientHeight * 0.9;
    }
  }
  return { seen: seen.size, found: [...found] };
}

function firstId(changes: readonly ChangeBody[]): string {
  const [first] = changes;
  if (first?.kind !== 'entry.opened') throw new Error('no entry');
  return first.entry.id;
}

/**
 * Open requests stay rendered at any scroll position, so the cost grows with the square of their number: each page
 * gets a few texts, in the full tier in all places.
 */
const PER_PAGE = IS_FULL ? 10 : 80;
const PAGES = Math.ceil(INPUTS.length / PER_PAGE);

test.each(Array.from({ length: PAGES }, (_, at) => at))(
  `C2 C4 C6 ${INPUTS.length} hostile texts in every entry: none runs, loads, clobbers or breaks anything (%d)`,
  async (page) => {
    expect(INPUTS.length).toBeGreaterThanOrEqual(150);
    expect(new Set(INPUTS).size).toBe(INPUTS.length);
    const from = page * PER_PAGE;
    const changes = INPUTS.slice(from, from + PER_PAGE).flatMap((text, at) =>
      placesOf(entriesOf(text, from + at), at),
    );
    await drawAndWalk(changes);
  },
  240_000,
);

async function drawAndWalk(changes: readonly ChangeBody[]): Promise<void> {
  const { page, alarms } = await open('rest');
  await emit(page, 'rest', changes);
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.waitFor();
  const { seen, found } = await log.evaluate(walk, { first: firstId(changes), wanted: changes.length });
  expect(found).toEqual([]);
  expect(await alarms()).toEqual([]);
  expect(seen).toBe(changes.length);
  await page.getByRole('textbox', { name: 'Message' }).fill('still here');
  await page.getByRole('link', { name: /A very long history/ }).click();
  await page.getByRole('heading', { name: 'A very long history' }).waitFor();
}

test('C2 D2 hostile names of sessions, projects, agents and models stay names', async () => {
  const { page, alarms } = await open('rest');
  await page.evaluate((inputs) => {
    const { deck } = window.gallery;
    const now = deck.get();
    const [row] = now?.sessions ?? [];
    const [project] = now?.projects ?? [];
    if (!now || !row || !project) throw new Error('no deck');
    const titled = inputs.map((title, at) => ({ ...row, id: `hostile-${at}`, title }));
    const named = inputs.map((name, at) => ({ ...project, id: `project-${at}`, name, path: name }));
    const agents = inputs.map((label) => ({ name: label, label, installed: true, detail: label }));
    deck.set({
      ...now,
      sessions: [...now.sessions, ...titled],
      projects: [...now.projects, ...named],
      agents: [...now.agents, ...agents],
    });
    localStorage.setItem('tugdeck.cards', JSON.stringify(['rest', ...titled.map(({ id }) => id)]));
  }, INPUTS);
  await frames(page, 2);
  // A long list renders only visible rows, so all of it is scrolled through.
  const { seen, found } = await page.locator('.sidebar-list').evaluate(async (list, wanted) => {
    const audit = (window as unknown as { audit(): string[] }).audit;
    const shown = new Set<string>();
    const things: string[] = [];
    // Rows that are rendered late are skipped and visited again.
    for (let round = 0; round < 4 && shown.size < wanted; round++) {
      for (let top = 0; top < list.scrollHeight; top += list.clientHeight / 2) {
        list.scrollTop = top;
        for (let left = 2; left > 0; left--) await new Promise((done) => requestAnimationFrame(done));
        for (const link of list.querySelectorAll<HTMLElement>('.session a'))
          shown.add(link.dataset.session ?? '');
        things.push(...audit());
      }
    }
    return { seen: shown.size, found: things };
  }, INPUTS.length);
  expect(found).toEqual([]);
  expect(seen).toBeGreaterThanOrEqual(INPUTS.length);
  const nav = page.getByRole('navigation', { name: 'Projects' });
  await nav.getByRole('button', { name: 'New session' }).first().click();
  await page
    .getByRole('button', { name: /^Agent: / })
    .filter({ visible: true })
    .click();
  const agents = page.getByRole('menuitemradio');
  await expect.poll(() => agents.count()).toBeGreaterThanOrEqual(INPUTS.length);
  expect(await page.evaluate(audit)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await alarms()).toEqual([]);
});

/** Gives two sessions each of the titles; `old` then has an open request and triggers a notification. */
async function showTitles(titles: readonly string[]) {
  const { deck } = window.gallery;
  const { audit, notes } = window as unknown as { audit(): string[]; notes: string[] };
  const text = (selector: string) => document.querySelector(selector)?.textContent;
  const all = [];
  for (const [at, title] of titles.entries()) {
    const now = deck.get();
    if (!now) throw new Error('no deck');
    const asks = { v: at, agentState: 'connected', turn: 'running', waiting: 1, entries: 1 } as const;
    const summary = { ...asks, waitingSince: performance.now(), changedAt: at };
    const named: Record<string, object> = { rest: { title }, old: { title, live: true, summary } };
    deck.set({ ...now, sessions: now.sessions.map((row) => ({ ...row, ...named[row.id] })) });
    for (let left = 2; left > 0; left--) await new Promise((done) => requestAnimationFrame(done));
    all.push({
      tab: text('[role=tab][data-session=rest] .tab-title'),
      tip: document.querySelector<HTMLElement>('[role=tab][data-session=rest]')?.title,
      heading: text('h1.card-title'),
      inbox: text('.inbox-item a'),
      notes: notes.splice(0),
      bar: document.title,
      found: audit(),
    });
  }
  return all;
}

test('D2 D7 hostile titles on tabs, in headings, the inbox and notifications stay text; the window keeps its own title', async () => {
  const titles = SOME.filter((text, at) => IS_FULL || at % 4 === 0 || visibleText(text) !== text);
  const { page, alarms } = await open('rest');
  await page.context().grantPermissions(['notifications'], { origin: new URL(gallery.url).origin });
  await page.evaluate(() => {
    const notes: string[] = [];
    const Original = window.Notification;
    window.Notification = class extends Original {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        notes.push(`${this.title}: ${this.body}`);
        this.close();
      }
    };
    Object.assign(window, { notes });
  });
  await page.keyboard.press('Control+i');
  const inbox = page.getByRole('group', { name: 'Inbox' });
  await inbox.getByRole('switch', { name: 'Notifications' }).check();
  expect(await page.evaluate(showTitles, titles)).toEqual(
    titles.map(visibleText).map((words) => ({
      tab: words,
      tip: `${words} · Sample agent`,
      heading: words,
      inbox: words,
      notes: [`${words}: Needs you · website-with-a-rather-long-name-for-a-list`],
      bar: '(1) Inbox – Tugdeck',
      found: [],
    })),
  );
  expect(await alarms()).toEqual([]);
});

test('C14 hostile labels, models, modes, reasons and queued prompts stay text', async () => {
  const { page, alarms } = await open('rest');
  // A queue of hundreds is slow: every eighth is enough.
  const changes = SOME.map((text, at) => ({ text, bodies: factsOf(text).slice(0, at % 8 === 0 ? 3 : 2) }));
  const found = await page.evaluate(async (all) => {
    const audit = (window as unknown as { audit(): string[] }).audit;
    const things: string[] = [];
    for (const { text, bodies } of all) {
      window.gallery.host('rest').emit(...bodies);
      await new Promise((done) => requestAnimationFrame(done));
      things.push(...audit().map((thing) => `${text}: ${thing}`));
    }
    return things;
  }, changes);
  expect(found).toEqual([]);
  expect(await alarms()).toEqual([]);
});

/** In the full tier one page for each. */
const HEAPS = Object.entries(LARGE).filter((_, at) => IS_FULL || at % 3 === 0);

test.each(IS_FULL ? HEAPS.map((heap) => [heap]) : [HEAPS])(
  'C2 C17 excessively large texts are rendered, and the page stays responsive (%#)',
  async (...heaps) => {
    const { page, alarms } = await open('rest');
    for (const [index, [name, text]] of heaps.entries()) {
      const entries = entriesOf(text, name.replaceAll(' ', '-'));
      await emit(page, 'rest', placesOf(entries, index * 3));
      await frames(page, 3);
      expect(await page.evaluate(audit)).toEqual([]);
    }
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('still here');
    await expect.poll(() => box.inputValue()).toBe('still here');
    expect(await alarms()).toEqual([]);
  },
  240_000,
);

test('C2 hostile text streamed in pieces of any size runs nothing', async () => {
  const { page, alarms } = await open('rest');
  const whole = SOME.join('\n\n');
  for (const size of [1, 7, 64]) {
    const id = `stream-${size}`;
    await emit(page, 'rest', [
      { kind: 'entry.opened', entry: { kind: 'text', id, text: '', status: 'partial' } },
    ]);
    const part = size === 1 ? whole.slice(0, 4_000) : whole;
    for (let at = 0; at < part.length; at += size * 40) {
      const pieces = Array.from({ length: 40 }, (_, index) =>
        part.slice(at + index * size, at + (index + 1) * size),
      );
      await page.evaluate(
        ([entry, texts]) => {
          for (const text of texts) if (text !== '') window.gallery.host('rest').stream(entry, text);
        },
        [id, pieces] as const,
      );
      await frames(page, 1);
    }
    expect(await page.evaluate(audit)).toEqual([]);
  }
  expect(await alarms()).toEqual([]);
});

test('C23 hidden characters in a command or file name are escaped in requests', async () => {
  const { page } = await open('rest');
  const command = 'rm -rf \u202e/pmt/ # \u200bsafe';
  await emit(page, 'rest', entriesOf(command, 'x'));
  const shown = 'rm -rf ⟨U+202E⟩/pmt/ # ⟨U+200B⟩safe';
  const request = page.locator('[data-request="ask-x"]');
  await request.waitFor();
  await expect.poll(() => request.locator('.field-code').allTextContents()).toEqual([shown, shown, shown]);
  const change = page.locator('[data-request="change-x"]');
  await change.getByRole('figure', { name: `Changes to ${shown}` }).waitFor();
  await expect.poll(() => page.locator('[data-entry-id="search-x"] li').textContent()).toBe(shown);
  const titles = page.locator('[data-entry-id="edit-x"] .tool-title');
  await expect.poll(() => titles.textContent()).toContain(shown);
  for (const id of ['ask-x', 'change-x', 'edit-x']) {
    const text = await page.locator(`[data-entry-id="${id}"]`).textContent();
    expect(text).not.toMatch(/[\u202e\u200b]/);
  }
});

test('C23 no font ligature changes the letters of a command, path or diff', async () => {
  const { page } = await open('rest');
  await emit(page, 'rest', entriesOf('a != b -> c', 'ligatures'));
  await page.locator('[data-request="ask-ligatures"] .field-code').first().waitFor();
  const change = page.locator('[data-request="change-ligatures"] .diff-file');
  await change.waitFor();
  const styles = await page.evaluate(() => {
    const places = ['.request', '.diff-file', '.tool-title', 'code', 'pre'];
    const elements = places.flatMap((place) => [...document.querySelectorAll(`${place}, ${place} *`)]);
    return [
      ...new Set(
        elements
          .filter((one) => one instanceof HTMLElement)
          .map((one) => {
            const { fontVariantLigatures, fontFeatureSettings } = getComputedStyle(one);
            return `${fontVariantLigatures} ${/"calt" 0/.test(fontFeatureSettings)} ${/"liga" 0/.test(fontFeatureSettings)}`;
          }),
      ),
    ];
  });
  expect(styles).toEqual(['none true true']);
});

test('C23 visible text escapes hidden characters and keeps ordinary text', () => {
  const hidden =
    '\u202e \u2066 \u200b \u0000 \u001b \u007f \u0085 \u00a0 \u00ad \ufeff \u{e0041} \u2028 \r \ud800';
  expect(visibleText(hidden)).toBe(
    '⟨U+202E⟩ ⟨U+2066⟩ ⟨U+200B⟩ ⟨U+0000⟩ ⟨U+001B⟩ ⟨U+007F⟩ ⟨U+0085⟩ ⟨U+00A0⟩ ⟨U+00AD⟩ ⟨U+FEFF⟩ ⟨U+E0041⟩ ⟨U+2028⟩ ⟨U+000D⟩ ⟨U+D800⟩',
  );
  expect(visibleText('a\u200db')).toBe('a⟨U+200D⟩b');
  const plain = 'npm run build && echo "Grüße, 日本語, שלום, مرحبا"\n\tक्\u200dष 👩\u200d👩\u200d👧 é e\u0301';
  expect(visibleText(plain)).toBe(plain);
});

const MARKS = '\u0300'.repeat(20_000);

test('C17 keeps some of thousands of combining marks on one letter, and counts the rest', () => {
  expect(limitMarks(`a${MARKS}b`)).toBe(`a${'\u0300'.repeat(24)}⟨19976 more marks⟩b`);
  const piled = 'Z\u0351\u036b\u0343\u036a\u0302\u036b a\u0300\u0301\u0302';
  expect(limitMarks(piled)).toBe(piled);
});

test('C17 prose names undrawable characters and keeps other hidden ones', () => {
  expect(visibleProse('\u001b[31mred\u001b[0m\u0000')).toBe('⟨U+001B⟩[31mred⟨U+001B⟩[0m⟨U+0000⟩');
  const kept = 'a\tb\r\nnon\u00adbreaking\u00a0\u200bשלום \u200e👩\u200d👧';
  expect(visibleProse(kept)).toBe(kept);
});

test.skipIf(!IS_FULL)('C17 nowhere in the page are more marks than that drawn on one letter', async () => {
  const { page } = await open('rest');
  await emit(page, 'rest', entriesOf(`a${MARKS}`, 'marks'));
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.waitFor();
  const most = await log.evaluate(async (list) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let longest = 0;
    for (let isEnd = false; !isEnd; ) {
      await frame();
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode())
        for (const [run] of (node.textContent ?? '').matchAll(/\p{M}+/gu))
          longest = Math.max(longest, run.length);
      isEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
      list.scrollTop += list.clientHeight;
    }
    return longest;
  });
  expect(most).toBe(24);
});

test('C14 an exported page of hostile texts has no script, loads nothing and shows the texts', async () => {
  const changes = INPUTS.flatMap((text, at) => entriesOf(text, at));
  let state = EMPTY;
  for (const body of changes) state = fold(state, { ...body, v: state.v + 1, at: 0 });
  const html = conversationHtml(entriesFrom(state.entries), {
    title: '</title><script>top.hacked = 1</script>',
    about: ['<b>large</b>'],
    long: (text) => (typeof text === 'string' ? text : text.head),
    lex: (text) => lex(text).tokens as readonly MarkdownToken[],
  });
  const { page, close } = await newPage(await launchBrowser());
  const asked: string[] = [];
  // Without its own CSP, to prove that the text itself contains nothing harmful.
  const bare = html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
  await page.route('**/*', (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: 'text/html', body: bare });
  });
  await page.goto('http://export.test/');
  const found = await page.evaluate(() => {
    const known = new Set(
      `html head meta title style body header h1 h2 h3 h4 h5 h6 p span main article details summary pre code blockquote
      hr ol ul li table thead tbody tr th td strong em del br a img`.split(/\s+/),
    );
    const all = [...document.querySelectorAll('*')];
    return {
      isHacked: 'hacked' in window,
      elements: all.map((node) => node.localName).filter((name) => !known.has(name)),
      attributes: [...new Set(all.flatMap((node) => node.getAttributeNames()))].sort(),
      links: [...document.links]
        .map(({ protocol }) => protocol)
        .filter((name) => !/^(https?|mailto):$/.test(name)),
      images: [...document.images].map(({ src }) => src).filter((src) => !src.startsWith('data:image/')),
    };
  });
  expect(found).toEqual({
    isHacked: false,
    elements: [],
    attributes: [
      ...[
        'alt',
        'charset',
        'class',
        'content',
        'data-status',
        'href',
        'lang',
        'name',
        'open',
        'rel',
        'src',
        'start',
      ],
    ].filter((name) => found.attributes.includes(name)),
    links: [],
    images: [],
  });
  expect(asked).toEqual(['http://export.test/']);
  await close();
});
