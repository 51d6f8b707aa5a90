import { defineArea, done, nothing } from '@tugdeck/protocol/areas/area';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Areas } from '../src/areas.ts';
import { codedError } from '../src/client-error.ts';
import type { FeedChannel, FeedState } from '../src/feeds.ts';
import { createCell, FrameQueue } from '../src/store.ts';

const counter = defineArea('git', {
  about: z.object({ project: z.string() }),
  state: z.object({ count: z.number() }),
  events: z.object({ rang: z.string() }),
  calls: {
    add: { input: z.object({ by: z.number().default(1) }), output: z.object({ sum: z.number() }) },
    clear: { input: nothing, output: done },
  },
});

/** Feeds whose server is the test. */
function fakeFeeds() {
  const opened: FakeFeed[] = [];
  const faults: string[] = [];
  class FakeFeed implements FeedChannel {
    readonly about: unknown;
    readonly state = createCell<FeedState>('opening', new FrameQueue((run) => run()));
    readonly sent: object[] = [];
    /** The server's replies, in order. */
    readonly replies: unknown[] = [];
    readonly pushes = new Set<(push: unknown) => void>();
    isClosed = false;
    constructor(about: unknown) {
      this.about = about;
      opened.push(this);
    }
    async request(body: object): Promise<unknown> {
      this.sent.push(body);
      const reply = this.replies.shift();
      if (reply instanceof Error) throw reply;
      return reply;
    }
    onPush(listener: (push: unknown) => void) {
      this.pushes.add(listener);
      return () => this.pushes.delete(listener);
    }
    push(push: unknown): void {
      for (const listener of this.pushes) listener(push);
    }
    onBytes() {
      return () => undefined;
    }
    sendBytes() {
      return true;
    }
    close(): void {
      this.isClosed = true;
    }
  }
  const areas = new Areas({ open: (_name, about) => new FakeFeed(about) }, (why) => faults.push(why));
  return { areas, opened, faults };
}

function openCounter() {
  const { areas, opened, faults } = fakeFeeds();
  const channel = areas.open(counter, { project: 'p' });
  const [feed] = opened;
  if (!feed) throw new Error('not opened');
  return { areas, opened, faults, channel, feed };
}

describe('areas', () => {
  test('S1 a call sends its name with its input and resolves with the typed reply', async () => {
    const { channel, feed } = openCounter();
    feed.replies.push({ sum: 3 }, 'anything');
    const { sum } = await channel.call('add', { by: 2 });
    expect(sum).toBe(3);
    expect(await channel.call('clear')).toBeUndefined();
    expect(feed.sent).toEqual([{ type: 'add', by: 2 }, { type: 'clear' }]);
    // The compiler refuses these; at run time the server does.
    // @ts-expect-error an unknown call
    void channel.call('nothing').catch(() => undefined);
    // @ts-expect-error wrong input
    void channel.call('add', { by: 'two' }).catch(() => undefined);
  });

  test('S1 pushed state is kept over a lost connection, and each opening is counted', () => {
    const { channel, feed } = openCounter();
    feed.push({ state: { count: 1 } });
    feed.state.set('open');
    expect(channel.view.get()).toEqual({ state: { count: 1 }, isLost: false, fault: undefined, opened: 1 });
    feed.state.set('lost');
    expect(channel.view.get()).toMatchObject({ state: { count: 1 }, isLost: true });
    feed.state.set('open');
    expect(channel.view.get()).toMatchObject({ isLost: false, opened: 2 });
    feed.state.set(codedError('PROJECT_NOT_FOUND', 'gone'));
    expect(channel.view.get().fault).toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  test('S2 a reply that does not match rejects its call, is counted, and leaves the area usable', async () => {
    const { channel, feed, faults } = openCounter();
    feed.replies.push({ sum: 'three' }, { sum: 4 });
    await expect(channel.call('add')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(faults).toEqual(['git add: sum']);
    expect(await channel.call('add')).toEqual({ sum: 4 });
  });

  test('S2 pushes that do not match are counted and change nothing', () => {
    const { channel, feed, faults } = openCounter();
    const events: unknown[] = [];
    channel.onEvent((event) => events.push(event));
    feed.push({ state: { count: 1 } });
    feed.push({ state: { count: 'many' } });
    feed.push({ unknown: true });
    feed.push(null);
    feed.push({ rang: 'twice' });
    expect(channel.view.get().state).toEqual({ count: 1 });
    expect(events).toEqual([{ rang: 'twice' }]);
    expect(faults).toHaveLength(3);
  });

  test('S1 users of the same area share a channel, which closes with the last', async () => {
    const { areas, opened, channel, feed } = openCounter();
    const second = areas.open(counter, { project: 'p' });
    areas.open(counter, { project: 'q' });
    expect(opened.map(({ about }) => about)).toEqual([{ project: 'p' }, { project: 'q' }]);
    const events: unknown[] = [];
    channel.onEvent((event) => events.push(['first', event]));
    second.onEvent((event) => events.push(['second', event]));
    channel.close();
    channel.close();
    feed.push({ rang: 'once' });
    expect(events).toEqual([['second', { rang: 'once' }]]);
    await expect(channel.call('clear')).rejects.toMatchObject({ code: 'DISPOSED' });
    expect(feed.isClosed).toBe(false);
    second.close();
    expect(feed.isClosed).toBe(true);
    areas.open(counter, { project: 'p' });
    expect(opened).toHaveLength(3);
  });

  test('S1 an area with bytes has a channel per user', () => {
    const { areas, opened } = fakeFeeds();
    const bytes = defineArea('terminal', { about: nothing, calls: {}, bytes: true });
    areas.open(bytes, {});
    areas.open(bytes, {});
    expect(opened).toHaveLength(2);
  });

  test('S1 an area of an earlier version is read by a call after each opening', async () => {
    const { areas, opened } = fakeFeeds();
    const state = z.object({ count: z.number() });
    const old = defineArea('files', {
      about: nothing,
      state,
      calls: { status: { input: nothing, output: state }, set: { input: nothing, output: state } },
      wire: { tag: 'do', state: 'status', read: 'status' },
    });
    const channel = areas.open(old, {});
    const [feed] = opened;
    feed?.replies.push({ count: 1 }, { count: 2 }, codedError('GIT_FAILED', 'no'));
    feed?.state.set('open');
    await expect.poll(() => channel.view.get().state).toEqual({ count: 1 });
    expect(feed?.sent).toEqual([{ do: 'status' }]);
    await channel.call('set');
    expect(channel.view.get().state).toEqual({ count: 2 });
    feed?.push({ status: { count: 3 } });
    expect(channel.view.get().state).toEqual({ count: 3 });
    feed?.state.set('lost');
    feed?.state.set('open');
    await expect.poll(() => channel.view.get().fault).toMatchObject({ code: 'GIT_FAILED' });
    expect(channel.view.get().state).toEqual({ count: 3 });
  });

  test('S1 an area with one call that requests do not name', async () => {
    const { areas, opened } = fakeFeeds();
    const only = defineArea('search', {
      about: nothing,
      calls: { find: { input: z.object({ query: z.string() }), output: z.number() } },
      wire: { only: 'find' },
    });
    const channel = areas.open(only, {});
    opened[0]?.replies.push(7);
    expect(await channel.call('find', { query: 'x' })).toBe(7);
    expect(opened[0]?.sent).toEqual([{ query: 'x' }]);
  });
});
