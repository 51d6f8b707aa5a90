import type { FeedAsk } from '@tugdeck/protocol/wire/feeds';
import { describe, expect, test } from 'vitest';
import { codedError } from '../src/client-error.ts';
import { DeckRequests } from '../src/deck-requests.ts';
import { Feeds } from '../src/feeds.ts';
import { FrameQueue } from '../src/store.ts';

/** A link whose server answers on the test's command. */
function link() {
  let isReady = true;
  let ids = 0;
  let channels = 0;
  const opened: { id: string; channel: number }[] = [];
  const closed: number[] = [];
  const asks: { channel: number; ask: FeedAsk }[] = [];
  const newId = () => `id-${++ids}`;
  const requests = new DeckRequests({
    send: (request) => {
      if (request.type === 'feed.open') opened.push({ id: request.id, channel: request.channel });
      if (request.type === 'channel.close') closed.push(request.channel);
      return true;
    },
    isReady: () => isReady,
    newId,
  });
  const feeds = new Feeds({
    requests,
    isReady: () => isReady,
    nextChannel: () => ++channels,
    sendRequest: (_name, channel, ask) => asks.push({ channel, ask }) > 0,
    sendBytes: () => true,
    queue: new FrameQueue((run) => run()),
    newId,
    fault: () => undefined,
  });
  return {
    feeds,
    opened,
    closed,
    asks,
    async accept() {
      for (const { id } of opened) requests.receive({ type: 'done', re: id });
      await Promise.resolve();
    },
    async refuse() {
      for (const { id } of opened)
        requests.receive({ type: 'error', re: id, code: 'PROJECT_NOT_FOUND', message: 'gone' });
      await Promise.resolve();
      await Promise.resolve();
    },
    lose() {
      isReady = false;
      requests.lost();
      feeds.lost();
    },
    regain() {
      isReady = true;
      feeds.online();
    },
  };
}

describe('feeds', () => {
  test('N10 a feed about a project that the server did not know is opened again once the deck lists it', async () => {
    const { feeds, opened, accept, refuse } = link();
    const feed = feeds.open('files', { project: 'p' });
    await refuse();
    expect(feed.state.get()).toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    feeds.listed(new Set(['another']));
    expect(opened).toHaveLength(1);
    feeds.listed(new Set(['another', 'p']));
    expect(opened).toHaveLength(2);
    await accept();
    expect(feed.state.get()).toBe('open');
    feeds.listed(new Set(['p']));
    expect(opened).toHaveLength(2);
  });

  test('S1 a request waits until the feed is open and gets its own reply', async () => {
    const { feeds, asks, accept } = link();
    const feed = feeds.open('files', { project: 'p' });
    const first = feed.request({ type: 'a' });
    expect(asks).toEqual([]);
    await accept();
    const second = feed.request({ type: 'b' });
    expect(asks.map(({ ask }) => ask.ask)).toEqual([{ type: 'a' }, { type: 'b' }]);
    feeds.receive(1, { re: asks[1]?.ask.id ?? '', value: 2 });
    feeds.receive(1, { re: asks[0]?.ask.id ?? '', error: { code: 'TOO_MANY', message: 'later' } });
    expect(await second).toBe(2);
    await expect(first).rejects.toMatchObject({ code: 'TOO_MANY' });
  });

  test('D6 a lost link rejects pending requests and reopens the feed on a new channel', async () => {
    const { feeds, opened, accept, lose, regain } = link();
    const feed = feeds.open('files', { project: 'p' });
    const pushes: unknown[] = [];
    feed.onPush((push) => pushes.push(push));
    await accept();
    const pending = feed.request({ type: 'a' });
    lose();
    await expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    await expect(feed.request({ type: 'b' })).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    expect(feed.sendBytes(new Uint8Array(1))).toBe(false);
    regain();
    expect(feed.state.get()).toBe('opening');
    await accept();
    expect(feed.state.get()).toBe('open');
    expect(opened.map(({ channel }) => channel)).toEqual([1, 2]);
    feeds.receive(1, { push: 'late' });
    feeds.receive(2, { push: 'new' });
    expect(pushes).toEqual(['new']);
  });

  test('S2 a refusal stays the state of the feed until the next link', async () => {
    const { feeds, refuse, accept, lose, regain } = link();
    const feed = feeds.open('files', { project: 'p' });
    const pending = feed.request({ type: 'a' });
    await refuse();
    await expect(pending).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    expect(feed.state.get()).toMatchObject({ code: 'PROJECT_NOT_FOUND', message: 'gone' });
    lose();
    regain();
    await accept();
    expect(feed.state.get()).toBe('open');
  });

  test('S1 reopens a channel that the server does not know, unless it was closed', async () => {
    const { feeds, opened, closed, accept } = link();
    const feed = feeds.open('files', { project: 'p' });
    await accept();
    feeds.fail(1, codedError('CHANNEL_NOT_OPEN', 'not open'));
    expect(opened.map(({ channel }) => channel)).toEqual([1, 2]);
    await accept();
    feed.close();
    expect(closed).toEqual([2]);
    await expect(feed.request({ type: 'a' })).rejects.toMatchObject({ code: 'DISPOSED' });
    feeds.online();
    expect(opened).toHaveLength(2);
  });
});
