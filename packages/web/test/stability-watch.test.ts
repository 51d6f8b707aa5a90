/** What counts as a move of a request (C6), with a page made of numbers. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StabilityWatch } from '../src/ui/answers/stability-watch.ts';

class FakeNode {
  contains = () => false;
}
let now = 0;
const view = { scale: 1, width: 390, height: 844 };
const scroller = { scrollLeft: 0, scrollTop: 0, scrollHeight: 2_000, clientHeight: 700, parentElement: null };
let top = 100;
const element = Object.assign(new FakeNode(), {
  parentElement: scroller,
  getBoundingClientRect: () => ({ left: 0, top: top - scroller.scrollTop, width: 300 }),
  querySelector: () => null,
  checkVisibility: () => true,
});

beforeEach(() => {
  vi.stubGlobal('Node', FakeNode);
  vi.stubGlobal('window', { visualViewport: view, innerHeight: 844 });
  vi.stubGlobal('document', { activeElement: null });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  now = 10_000;
  top = 100;
  Object.assign(view, { scale: 1, width: 390, height: 844 });
  Object.assign(scroller, { scrollTop: 0, scrollHeight: 2_000 });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const watch = () => new StabilityWatch(element as unknown as HTMLElement, () => undefined);
const isMoved = ({ movedAt }: StabilityWatch) => movedAt === now;

test('C24 scrolling by the user is not a move', () => {
  const one = watch();
  scroller.scrollTop = 60;
  one.check();
  expect(isMoved(one)).toBe(false);
});

test('C24 a scroll right after content grew is a move, because the page follows it', () => {
  const one = watch();
  scroller.scrollHeight += 60;
  one.check();
  now += 100;
  scroller.scrollTop = 60;
  one.check();
  expect(isMoved(one)).toBe(true);

  now += 500;
  scroller.scrollTop = 120;
  one.check();
  expect(isMoved(one)).toBe(false);
});

test('C24 pinching, and an on-screen keyboard, are moves', () => {
  const one = watch();
  view.scale = 1.1;
  one.check();
  expect(isMoved(one)).toBe(true);
  now += 500;
  view.height = 500;
  one.check();
  expect(isMoved(one)).toBe(true);
});
