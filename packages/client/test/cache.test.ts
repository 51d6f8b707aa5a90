import { entriesFrom, withEntry } from '@tugdeck/protocol/conversation/entry-store';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { PAGE_VERSION } from '@tugdeck/protocol/wire/version';
import { describe, expect, test } from 'vitest';
import { MAX_WINDOWS, PageCache } from '../src/cache.ts';
import { MAX_RECORD, readWindow, windowRecord } from '../src/cache-records.ts';
import type { ClientOptions } from '../src/client.ts';
import { MemoryCachePort } from './memory-cache-port.ts';
import { BUILD, FakeStorage, SESSION, World } from './simulated-world.ts';

const OTHER = '22222222-2222-4222-8222-222222222222';
const WINDOW = `window/${SESSION}`;

function row(id: string, project = 'p1'): SessionRow {
  return { id, project, agent: 'a', title: '', createdAt: 0, activeAt: 0, archived: false, live: true };
}
function deckOf(...sessions: SessionRow[]): Deck {
  return { projects: [], sessions, agents: [], defaultAgent: 'a' };
}

/** A world whose server lists these sessions, and a browser whose cache and storage survive reloads. */
function setUp(deck = deckOf(row(SESSION), row(OTHER, 'p2'))) {
  const world = new World();
  const port = new MemoryCachePort();
  const storage = new FakeStorage();
  const server = { deck };
  world.answer = (request) =>
    request.type === 'hello'
      ? {
          type: 'welcome',
          version: PAGE_VERSION,
          build: BUILD,
          deck: server.deck,
          drafts: {},
          timings: { reconnectMs: [500] },
        }
      : undefined;
  const load = (options: Partial<ClientOptions> = {}) => {
    const faults: string[] = [];
    const cache = new PageCache({ port, clock: world.clock, fault: (why) => faults.push(why) });
    return { client: world.page({ cache, storage, ...options }), cache, faults };
  };
  return { world, port, storage, server, load };
}

async function seen(set: ReturnType<typeof setUp>, steps = 40) {
  const host = set.world.host(SESSION, 3);
  for (let left = steps; left > 0; left--) host.step();
  const page = set.load();
  const channel = page.client.conversation(SESSION);
  await set.world.settle();
  await page.cache.flush();
  return { host, page, channel };
}

/** The next load of the page, with its socket still connecting. */
async function reload(set: ReturnType<typeof setUp>, before: { client: { dispose(): void } }) {
  before.client.dispose();
  set.world.isUp = false;
  const page = set.load();
  const channel = page.client.conversation(SESSION);
  await new Promise((resolve) => setImmediate(resolve));
  set.world.runFrame();
  return { page, channel };
}

describe('page cache', () => {
  test('D5 shows the conversation and the deck after a reload before the socket is up', async () => {
    const set = setUp();
    const { page, channel } = await seen(set);
    const drawn = channel.view.get();
    const next = await reload(set, page);
    const view = next.channel.view.get();
    expect(next.page.client.status.get().state).not.toBe('online');
    expect(view.phase).toBe('ready');
    expect(view.order).toEqual(drawn.order);
    expect(view.order.length).toBeGreaterThan(3);
    for (const id of view.order) {
      expect(next.channel.entry(id).get()).toEqual(channel.entry(id).get());
    }
    expect(next.page.client.deck.get()).toEqual(set.server.deck);
  });

  test('D5 updates the view as soon as the cache is read, without waiting for a frame', async () => {
    const set = setUp();
    const { page, channel } = await seen(set);
    const { order } = channel.view.get();
    page.client.dispose();
    set.world.isUp = false;
    const next = set.load();
    const restored = next.client.conversation(SESSION);
    await next.cache.settled();
    expect(restored.view.get().order).toEqual(order);
    expect(next.client.deck.get()).toEqual(set.server.deck);
  });

  test('D5 follows from the cached version, receives only what is missing, and notifies no shown entry again', async () => {
    const set = setUp();
    const { host, page } = await seen(set);
    const next = await reload(set, page);
    const view = next.channel.view.get();
    const { v } = host.state;
    host.requests.length = 0;
    let calls = 0;
    next.channel.view.subscribe(() => calls++);
    for (const id of view.order) next.channel.entry(id).subscribe(() => calls++);
    set.world.isUp = true;
    set.world.clock.advance(500);
    await set.world.settle();
    expect(next.page.client.status.get().state).toBe('online');
    expect(host.requests.filter(({ type }) => type === 'follow')).toMatchObject([{ type: 'follow', v }]);
    expect(calls).toBe(0);
    expect(next.channel.view.get()).toBe(view);
  });

  test('D5 M2 converges to the state of a fresh page, whatever happened while it was closed', async () => {
    for (const missedSteps of [1, 5, 60, 400]) {
      const set = setUp();
      const { host, page } = await seen(set, 80);
      const next = await reload(set, page);
      for (let left = missedSteps; left > 0; left--) host.step();
      set.world.isUp = true;
      set.world.clock.advance(500);
      await set.world.settle();
      const state = next.channel.view.get().conversation;
      const known = [...entriesFrom(state.entries, state.from)];
      expect(state.v).toBe(host.state.v);
      expect(known).toEqual([...entriesFrom(host.state.entries, state.from)]);
    }
  });

  test('D5 writes at most once a second, and when the page is hidden', async () => {
    const set = setUp();
    const { host, page } = await seen(set);
    const before = set.port.writes;
    for (let tick = 0; tick < 50; tick++) {
      host.step();
      await set.world.settle();
      set.world.clock.advance(100);
    }
    expect(set.port.writes - before).toBeGreaterThanOrEqual(3);
    expect(set.port.writes - before).toBeLessThanOrEqual(5);
    await page.cache.flush();
    host.stepUntil(() => host.state.v > (readWindow(set.port.records.get(WINDOW)?.value)?.v ?? 0));
    await set.world.settle();
    await page.cache.flush();
    expect(readWindow(set.port.records.get(WINDOW)?.value)?.v).toBe(host.state.v);
  });

  test('D12 shows a cached conversation only in the project it was written for', async () => {
    const set = setUp();
    const { page } = await seen(set);
    const record = set.port.records.get(WINDOW);
    if (!record) throw new Error('nothing was written');
    set.port.records.set(WINDOW, { ...record, project: 'p2' });
    const next = await reload(set, page);
    expect(next.channel.view.get()).toMatchObject({ phase: 'loading', order: [] });
  });

  test('D5 "Clear browser cache" deletes the data of one project; signing out deletes all', async () => {
    const set = setUp();
    set.world.host(OTHER, 5).step();
    const { page } = await seen(set);
    page.client.conversation(OTHER);
    await set.world.settle();
    await page.cache.flush();
    expect([...set.port.records.keys()].sort()).toEqual(['deck', WINDOW, `window/${OTHER}`].sort());
    await page.cache.clear('p1');
    expect([...set.port.records.keys()].sort()).toEqual(['deck', `window/${OTHER}`]);
    set.world.signInStatus = 'signed-out';
    set.world.isUp = false;
    set.world.cutAll();
    set.world.clock.advance(500);
    await set.world.settle();
    expect(page.client.status.get().state).toBe('signed-out');
    await page.cache.flush();
    expect(set.port.records.size).toBe(0);
  });

  test('D5 removes a session that the server no longer lists', async () => {
    const set = setUp();
    const { page } = await seen(set);
    expect(set.port.records.has(WINDOW)).toBe(true);
    page.client.dispose();
    set.server.deck = deckOf(row(OTHER, 'p2'));
    set.load();
    await set.world.settle();
    expect(set.port.records.has(WINDOW)).toBe(false);
  });

  test('D5 keeps at most fifty conversations and removes the least recently used', async () => {
    const sessions = Array.from({ length: MAX_WINDOWS + 7 }, (_, index) => row(`s${index}`));
    const set = setUp(deckOf(...sessions));
    const { cache } = set.load();
    await set.world.settle();
    const state = set.world.host(SESSION, 3).state;
    for (const { id } of sessions) {
      cache.saveWindow(id, () => state);
      await cache.flush();
      set.world.clock.advance(2_000);
    }
    const kept = [...set.port.records.keys()].filter((key) => key.startsWith('window/'));
    expect(kept).toEqual(sessions.slice(7).map(({ id }) => `window/${id}`));
  });

  test('X4 reports a broken cache once, and the page works', async () => {
    const set = setUp();
    set.port.isBroken = true;
    const { page, channel } = await seen(set);
    expect(channel.view.get().phase).toBe('ready');
    expect(page.faults).toEqual(['cache: Error: no cache in this browser']);
  });

  test('S2 ignores records that are of another version, truncated, hostile or inconsistent', () => {
    const world = new World();
    const host = world.host(SESSION, 3);
    for (let left = 40; left > 0; left--) host.step();
    const good = windowRecord(host.state) ?? '';
    const read = JSON.parse(good);
    const spoiled = (change: (content: Record<string, unknown>) => void) => {
      const copy = structuredClone(read);
      change(copy.content);
      return JSON.stringify(copy);
    };
    expect(readWindow(good)?.v).toBe(host.state.v);
    const bad: unknown[] = [
      undefined,
      null,
      7,
      {},
      read,
      '',
      'null',
      '[]',
      good.slice(0, -5),
      JSON.stringify({ ...read, version: '0.1' }),
      JSON.stringify({ ...read, version: undefined }),
      spoiled((content) => delete content.v),
      spoiled((content) => Object.assign(content, { v: -1 })),
      spoiled((content) => Object.assign(content, { entries: [{ kind: 'text', text: '<img>' }] })),
      spoiled((content) => Object.assign(content, { nextSeq: 3e9 })),
      spoiled((content) => Object.assign(content, { nextSeq: 0 })),
      spoiled((content) => (content.entries as unknown[]).reverse()),
      spoiled((content) => (content.entries as unknown[]).push((content.entries as unknown[])[0])),
      `{"version":"1.1","content":{"__proto__":{"v":1}}}`,
      'x'.repeat(MAX_RECORD + 1),
    ];
    expect(bad.map((value) => readWindow(value))).toEqual(bad.map(() => undefined));
  });

  test('D5 stores fewer entries of a conversation with huge texts, never above the size limit', () => {
    const host = new World().host(SESSION, 3);
    host.stepUntil(() => host.state.nextSeq > 60);
    const text = 'x'.repeat(60_000);
    const entries = [...entriesFrom(host.state.entries)].reduce(
      (store, entry) => ('text' in entry ? withEntry(store, { ...entry, text }) : store),
      host.state.entries,
    );
    const large = { ...host.state, entries } as typeof host.state;
    const whole = JSON.stringify(takeSnapshot(large, { tail: 200, receipts: false }));
    expect(whole.length).toBeGreaterThan(MAX_RECORD);
    const record = windowRecord(large) ?? '';
    expect(record.length).toBeLessThanOrEqual(MAX_RECORD);
    expect(readWindow(record)).toMatchObject({ v: large.v, nextSeq: large.nextSeq });
  });
});

describe('stored commands', () => {
  test('D6 keeps commands sent offline over a reload, and each takes effect once', async () => {
    const set = setUp();
    const { host, page, channel } = await seen(set);
    set.world.isUp = false;
    set.world.cutAll();
    channel.send({ kind: 'session.configure', option: 'mode', value: 'plan' }).catch(() => undefined);
    channel.send({ kind: 'prompt.send', text: 'typed offline' }).catch(() => undefined);
    channel.send({ kind: 'turn.cancel' }).catch(() => undefined);
    set.world.runFrame();
    const [, prompt] = channel.view.get().pending;
    const next = await reload(set, page);
    expect(next.channel.view.get().pending.map(({ kind }) => kind)).toEqual([
      'session.configure',
      'prompt.send',
    ]);
    expect(JSON.stringify(next.channel.view.get().conversation)).toContain('typed offline');
    set.world.isUp = true;
    set.world.clock.advance(500);
    await set.world.settle();
    expect(next.channel.view.get().pending).toEqual([]);
    expect(host.effects.get(prompt?.id ?? '')).toBe(1);
    expect([...set.storage.items.keys()].filter((key) => key.includes('waiting'))).toEqual([]);
    const third = await reload(set, next.page);
    expect(third.channel.view.get().pending).toEqual([]);
  });

  test('D6 a command whose receipt was lost takes effect once', async () => {
    const set = setUp();
    const { host, page, channel } = await seen(set);
    channel.send({ kind: 'prompt.send', text: 'did arrive' }).catch(() => undefined);
    set.world.runFrame();
    const id = channel.view.get().pending[0]?.id ?? '';
    set.world.deliverToServer();
    set.world.cutAll();
    const next = await reload(set, page);
    set.world.isUp = true;
    set.world.clock.advance(500);
    await set.world.settle();
    expect(next.channel.view.get().pending).toEqual([]);
    expect(host.effects.get(id)).toBe(1);
  });

  test('D6 delivers commands whose card is no longer open', async () => {
    const set = setUp();
    const { host, page, channel } = await seen(set);
    set.world.isUp = false;
    set.world.cutAll();
    channel.send({ kind: 'prompt.send', text: 'and then I closed it' }).catch(() => undefined);
    set.world.runFrame();
    const id = channel.view.get().pending[0]?.id ?? '';
    page.client.dispose();
    set.world.isUp = true;
    set.load();
    await set.world.settle();
    expect(host.effects.get(id)).toBe(1);
  });

  test('D6 rejects commands of a deleted session and ignores hostile ones', async () => {
    const set = setUp();
    const id = '33333333-3333-4333-8333-333333333333';
    const command = { kind: 'prompt.send', id, text: 'x' };
    set.storage.setItem(`tugdeck.waiting.gone/${id}`, JSON.stringify({ command, at: 1 }));
    set.storage.setItem(`tugdeck.waiting.${SESSION}/other`, JSON.stringify({ command, at: 1 }));
    set.storage.setItem(`tugdeck.waiting.${SESSION}/${id}`, '{"command":{"kind":"turn.cancel"},"at":1}');
    set.storage.setItem(`tugdeck.waiting.${OTHER}/${id}`, 'not JSON');
    set.storage.setItem('tugdeck.waiting.', '{}');
    const { host } = await seen(set);
    expect([...set.storage.items.keys()]).toEqual([]);
    expect(host.effects.size).toBe(0);
  });
});
