import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findPlace, type Place } from '../src/cards/conversation/scroll-memory.ts';
import { createOlderLoader } from '../src/features/conversation/older-loader.ts';

describe('older pages', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 16));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function loaderOf(load: (count: number) => number, isNear: (count: number) => boolean) {
    let count = 200;
    let asked = 0;
    const loader = createOlderLoader({
      hasOlder: () => count < 1_000,
      isNear: () => isNear(count),
      load: async () => {
        asked += 1;
        const next = load(asked);
        if (Number.isNaN(next)) throw new Error('no link');
        count += next;
      },
      count: () => count,
    });
    return { loader, count: () => count, asked: () => asked };
  }

  test('C11 one check loads pages until the top is no longer near', async () => {
    const { loader, count } = loaderOf(
      () => 100,
      (loaded) => loaded < 550,
    );
    loader.check();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(count()).toBe(600);
  });

  test('C11 at the very top it loads to the beginning, one page at a time', async () => {
    const { loader, count, asked } = loaderOf(
      () => 100,
      () => true,
    );
    loader.check();
    loader.check();
    await vi.advanceTimersByTimeAsync(5_000);
    expect({ count: count(), asked: asked() }).toEqual({ count: 1_000, asked: 8 });
  });

  test('C11 retries a failed or empty page, not at once and not after the end', async () => {
    const { loader, count, asked } = loaderOf(
      (turn) => (turn === 1 ? Number.NaN : turn === 2 ? 0 : 100),
      (loaded) => loaded < 300,
    );
    loader.check();
    await vi.advanceTimersByTimeAsync(500);
    expect(asked()).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect({ count: count(), asked: asked() }).toEqual({ count: 300, asked: 3 });
    const never = loaderOf(
      () => Number.NaN,
      () => true,
    );
    never.loader.check();
    await vi.advanceTimersByTimeAsync(10);
    never.loader.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(never.asked()).toBe(1);
  });
});

describe('scroll position after a reload', () => {
  const place: Place = {
    isFollowing: false,
    row: 'b',
    into: 7,
    sizes: {
      rows: [
        ['a', 50],
        ['b', 60],
      ],
      other: 40,
    },
  };

  test('D5 finds a loaded row to the pixel', () => {
    expect(findPlace(place, ['x', 'a', 'b'], 12)).toMatchObject({ top: 12 + 40 + 50 + 7 });
    expect(findPlace(place, ['x', 'a', 'b'], 12).sought).toBeUndefined();
  });

  test('D5 seeks a row above the loaded ones, unless the end is followed', () => {
    expect(findPlace(place, ['x', 'y'], 12).sought).toMatchObject({ row: 'b', into: 7 });
    expect(findPlace({ ...place, isFollowing: true }, ['x', 'y'], 12).sought).toBeUndefined();
    expect(findPlace({ ...place, row: undefined }, ['x', 'y'], 12).sought).toBeUndefined();
  });
});
