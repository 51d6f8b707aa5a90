import { expect, test, vi } from 'vitest';
import { DeferredWrites } from '../src/deferred-writes.ts';

const full = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

test('H5 writes that fail on a full disk are retried in order', () => {
  vi.useFakeTimers();
  try {
    const written: number[] = [];
    let hasRoom = false;
    const deferred = new DeferredWrites({ warn: () => undefined });
    const write = (number: number) => () => {
      if (!hasRoom) throw full();
      written.push(number);
    };
    deferred.run(write(1));
    deferred.run(write(2));
    vi.advanceTimersByTime(3_000);
    expect(written).toEqual([]);
    hasRoom = true;
    deferred.run(write(3));
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(written).toEqual([1, 2, 3]);
    deferred.run(write(4));
    expect(written).toEqual([1, 2, 3, 4]);
  } finally {
    vi.useRealTimers();
  }
});

test('H5 closing retries once more; bugs are not retried', () => {
  const written: number[] = [];
  let hasRoom = false;
  const deferred = new DeferredWrites({ warn: () => undefined });
  deferred.run(() => {
    if (!hasRoom) throw full();
    written.push(1);
  });
  hasRoom = true;
  deferred.close();
  expect(written).toEqual([1]);
  expect(() =>
    deferred.run(() => {
      throw new Error('a bug');
    }),
  ).toThrow('a bug');
  deferred.run(() => written.push(2));
  expect(written).toEqual([1, 2]);
});
