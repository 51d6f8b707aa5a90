import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { describe, expect, test } from 'vitest';
import { PageLoader } from '../src/page-loader.ts';

const state: Conversation = { ...EMPTY, v: 9, nextSeq: 300, from: 200, staleBefore: 9 };
const page = (from: number, to: number, v = 9) => ({ v, from, to, entries: [] });

function loader() {
  const requests: HostRequestInput[] = [];
  return { requests, pages: new PageLoader((request) => requests.push(request)) };
}

describe('pages', () => {
  test('M3 reloads stale pages from end to start, then the requested ones', async () => {
    const { requests, pages } = loader();
    pages.markStale({ from: 200, to: 350 });
    const loading = pages.loadOlder(state);
    pages.requestNext(state);
    pages.requestNext(state);
    pages.receive(state, page(250, 350));
    pages.requestNext(state);
    pages.receive(state, page(200, 250));
    pages.requestNext(state);
    expect(pages.receive(state, page(100, 200)).from).toBe(100);
    await loading;
    expect(requests).toEqual([
      { type: 'entries', before: 350, limit: 100 },
      { type: 'entries', before: 250, limit: 50 },
      { type: 'entries', before: 200, limit: 100 },
    ]);
  });

  test('M3 requests a page again that was read before a change', () => {
    const { requests, pages } = loader();
    pages.markStale({ from: 200, to: 250 });
    pages.requestNext(state);
    pages.receive(state, page(200, 250, 8));
    pages.requestNext(state);
    expect(requests).toHaveLength(2);
    pages.receive(state, page(200, 250));
    pages.requestNext(state);
    expect(requests).toHaveLength(2);
  });

  test('M3 ignores a page that was not requested, and stops at an empty page', async () => {
    const { pages } = loader();
    const loading = pages.loadOlder(state);
    expect(pages.loadOlder(state)).toBe(loading);
    pages.requestNext(state);
    expect(pages.receive(state, page(50, 150))).toBe(state);
    expect(pages.hasOlder(state)).toBe(true);
    pages.receive(state, page(0, 0));
    await loading;
    expect(pages.hasOlder(state)).toBe(false);
  });
});
