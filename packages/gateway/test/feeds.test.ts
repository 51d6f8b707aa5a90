import { type AreaOut, serveArea } from '@tugdeck/machine/areas/serve-area';
import { defineArea, done, nothing } from '@tugdeck/protocol/areas/area';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { feedByte } from '@tugdeck/protocol/wire/feeds';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PageFeeds } from '../src/feeds/page-feeds.ts';
import { LIMITS } from '../src/limits.ts';
import { pageWithSession, testPlace } from './test-server.ts';

const quiet = () => undefined;
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;

const echo = defineArea('files', {
  about: z.object({ project: z.string() }),
  state: z.number(),
  events: z.object({ changed: z.number() }),
  calls: {
    say: {
      input: z.object({ text: z.string() }),
      output: z.object({ project: z.string(), text: z.string() }),
    },
    refuse: { input: nothing, output: done },
    break: { input: nothing, output: done },
    wait: { input: nothing, output: done },
    flood: { input: nothing, output: z.string() },
  },
});

function openFeeds(limits: Partial<typeof LIMITS> = {}) {
  const sent: { feed: number; channel: number; payload: Uint8Array }[] = [];
  const log: string[] = [];
  let out: AreaOut<typeof echo> | undefined;
  let release: () => void = () => undefined;
  const served = serveArea(echo, ({ project }, given) => {
    if (project === 'none') throw new CodedError('PROJECT_NOT_FOUND');
    out = given;
    return {
      calls: {
        say: ({ text }) => ({ project, text }),
        refuse: () => {
          throw new CodedError('SESSION_NOT_FOUND');
        },
        break: () => {
          throw new Error('a secret of the inside');
        },
        wait: () => new Promise<void>((resolve) => (release = resolve)),
        flood: () => 'x'.repeat(5 * 1024 * 1024),
      },
      pause: () => log.push('pause'),
      resume: () => log.push('resume'),
      close: () => log.push('close'),
    };
  });
  const feeds = new PageFeeds({
    openArea: (_name, about, out) => served.open(about, out),
    limits: { ...LIMITS, ...limits },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    send: (feed, channel, payload) => sent.push({ feed, channel, payload }),
    lost: quiet,
    isCongested: () => false,
    signIn: 'here',
  });
  const call = async (channel: number, message: unknown) => {
    const before = sent.length;
    feeds.receive({ feed: feedByte('files'), channel, payload: encode(message) });
    await expect.poll(() => sent.length).toBeGreaterThan(before);
    const last = sent.at(-1);
    return last ? decode(last.payload) : undefined;
  };
  return { feeds, sent, log, call, out: () => out, release: () => release() };
}

describe('feeds', () => {
  test('S1 a request is answered on its own channel, by its id', async () => {
    const { feeds, sent, call, out } = openFeeds();
    await feeds.open(7, 'files', { project: 'p' });
    expect(await call(7, { id: 'a', ask: { type: 'say', text: 'hello' } })).toEqual({
      re: 'a',
      value: { project: 'p', text: 'hello' },
    });
    expect(sent.at(-1)).toMatchObject({ feed: FEED.files, channel: 7 });
    out()?.emit({ changed: 1 });
    expect(decode(sent.at(-1)?.payload ?? new Uint8Array())).toEqual({ push: { changed: 1 } });
    out()?.state(3);
    expect(decode(sent.at(-1)?.payload ?? new Uint8Array())).toEqual({ push: { state: 3 } });
  });

  test('S2 invalid, refused and failing requests are answered with a code, and the feed stays open', async () => {
    const { feeds, call } = openFeeds();
    await feeds.open(7, 'files', { project: 'p' });
    const codes = [];
    for (const message of [
      { id: 'a', ask: { type: 'what' } },
      { id: 'a', ask: { type: 'constructor' } },
      { id: 'a', ask: {} },
      { id: 'a', ask: { type: 'say', text: 4 } },
      { id: 'a', ask: 'text' },
      { id: '', ask: {} },
      { id: 'a' },
      null,
      { id: 'a', ask: { type: 'refuse' } },
      { id: 'a', ask: { type: 'break' } },
      { id: 'a', ask: { type: 'flood' } },
    ]) {
      const answer = await call(7, message);
      expect(JSON.stringify(answer)).not.toContain('secret');
      codes.push((answer?.error as { code: string } | undefined)?.code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 8 }, () => 'INVALID_MESSAGE'),
      'SESSION_NOT_FOUND',
      'INTERNAL_ERROR',
      'PAYLOAD_TOO_LARGE',
    ]);
    expect(await call(7, { id: 'b', ask: { type: 'say', text: '' } })).toMatchObject({ re: 'b' });
  });

  test('X2 the number of pending requests is limited', async () => {
    const { feeds, call, release, sent } = openFeeds({ asks: 1 });
    await feeds.open(7, 'files', { project: 'p' });
    feeds.receive({ feed: FEED.files, channel: 7, payload: encode({ id: 'a', ask: { type: 'wait' } }) });
    expect(await call(7, { id: 'b', ask: { type: 'say', text: '' } })).toMatchObject({
      re: 'b',
      error: { code: 'TOO_MANY' },
    });
    release();
    await expect.poll(() => sent.length).toBe(2);
    expect(await call(7, { id: 'c', ask: { type: 'say', text: '' } })).toMatchObject({ re: 'c', value: {} });
  });

  test('S1 a closed feed sends nothing more, and other frames are not its own', async () => {
    const { feeds, log, out, sent } = openFeeds();
    await feeds.open(7, 'files', { project: 'p' });
    await feeds.open(7, 'files', { project: 'p' });
    await expect(feeds.open(7, 'files', { project: 'q' })).rejects.toThrow(CodedError);
    await expect(feeds.open(8, 'files', { project: 'none' })).rejects.toThrow(CodedError);
    await expect(feeds.open(8, 'files', { project: 4 })).rejects.toThrow(CodedError);
    await expect(feeds.open(8, 'git', {})).rejects.toThrow(CodedError);
    expect(feeds.receive({ feed: FEED.git, channel: 7, payload: encode({}) })).toBe(false);
    expect(feeds.receive({ feed: FEED.files, channel: 8, payload: encode({}) })).toBe(false);
    feeds.pause();
    feeds.resume();
    expect(feeds.close(7)).toBe(true);
    out()?.emit({ changed: 2 });
    out()?.bytes(new Uint8Array(1));
    expect(feeds.close(7)).toBe(false);
    expect(sent).toEqual([]);
    expect(log).toEqual(['pause', 'resume', 'close']);
  });

  test('S2 a feed that is not open, or unknown, is named in the error', async () => {
    const place = testPlace();
    try {
      const { page } = await pageWithSession(place, await place.start());
      page.send(FEED.files, 9, { id: 'a', ask: {} });
      expect(await page.deckMessage(({ type }) => type === 'error')).toMatchObject({
        code: 'CHANNEL_NOT_OPEN',
        channel: 9,
      });
      const taken = await page.request({ type: 'feed.open', channel: 1, feed: 'files', about: {} });
      expect(taken).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' });
      const unknown = await page.request({ type: 'feed.open', channel: 2, feed: 'weather', about: {} });
      expect(unknown).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE' });
    } finally {
      await place.clear();
    }
  });
});
