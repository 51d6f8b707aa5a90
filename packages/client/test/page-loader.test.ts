import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { describe, expect, test } from 'vitest';
import { PageLoader } from '../src/page-loader.ts';

const state: Conversation = { ...EMPTY, v: 9, nextSeq: 300, from: 200, staleBefore: 9 };
const page = (from: number, to: number, v = 9) => ({ v, from, to, entries: [] });

function loader() {
  const asked: HostRequestInput[] = [];
  return { asked, pages: new PageLoader((request) => asked.push(request)) };
}

describe('pages', () => {
  test('M3 reloads stale pages from end to start, then the requested ones', async () => {
    const { asked, pages } = loader();
    pages.markStale({ from: 200, to: 350 });
    const wish = pages.loadOlder(state);
    pages.requestNext(state);
    pages.requestNext(state);
    pages.receive(state, page(250, 350));
    pages.requestNext(state);
    pages.receive(state, page(200, 250));
    pages.requestNext(state);
    expect(pages.receive(state, page(100, 200)).from).toBe(100);
    await wish;
    expect(asked).toEqual([
      { type: 'entries', before: 350, limit: 100 },
      { type: 'entries', before: 250, limit: 50 },
      { type: 'entries', before: 200, limit: 100 },
    ]);
  });

  test('M3 requests a page again that was read before a change', () => {
    const { asked, pages } = loader();
    pages.markStale({ from: 200, to: 250 });
    pages.requestNext(state);
    pages.receive(state, page(200, 250, 8));
    pages.requestNext(state);
    expect(asked).toHaveLength(2);
    pages.receive(state, page(200, 250));
    pages.requestNext(state);
    expect(asked).toHaveLength(2);
  });

  test('M3 ignores a page that was not requested, and stops at an empty page', async () => {
    const { pages } = loader();
    const wish = pages.loadOlder(state);
    expect(pages.loadOlder(state)).toBe(wish);
    pages.requestNext(state);
    expect(pages.receive(state, page(50, 150))).toBe(state);
    expect(pages.hasOlder(state)).toBe(true);
    pages.receive(state, page(0, 0));
    await wish;
    expect(pages.hasOlder(state)).toBe(false);
  });
});
