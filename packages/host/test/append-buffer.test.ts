import { DEFAULT_TIMINGS } from '@tugdeck/local/timings';
import type { Append } from '@tugdeck/protocol/conversation/changes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppendBuffer } from '../src/append-buffer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const append = (at: number, text: string, entry = 'a'): Append => ({ entry, field: 'text', at, text });

function buffer(eager: boolean) {
  const handed: string[][] = [];
  const gathered = new AppendBuffer(
    10,
    (appends) => handed.push(appends.map(({ entry, at, text }) => `${entry}@${at}:${text}`)),
    { eager },
  );
  return { gathered, handed };
}

test('H5 flushes collected text in time, adjacent pieces merged', () => {
  const { gathered, handed } = buffer(false);
  gathered.add(append(0, 'one '));
  gathered.add(append(4, 'two'));
  gathered.add(append(0, 'other', 'b'));
  expect(handed).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(handed).toEqual([['a@0:one two', 'b@0:other']]);
});

test('H5 endlessly streaming text reaches the disk within 250 ms', () => {
  const waits: number[] = [];
  let text = '';
  const gathered = new AppendBuffer(DEFAULT_TIMINGS.checkpointMs, (appends) => {
    for (const one of appends)
      for (const said of one.text.trimEnd().split(' ')) waits.push(Date.now() - Number(said));
  });
  for (let piece = 0; piece < 400; piece++) {
    gathered.add(append(text.length, `${Date.now()} `));
    text += `${Date.now()} `;
    vi.advanceTimersByTime(7);
  }
  expect(waits.length).toBeGreaterThan(300);
  expect(Math.max(...waits)).toBeLessThanOrEqual(250);
});

test('S1 eager mode flushes the first piece at once and collects those that follow closely', () => {
  const { gathered, handed } = buffer(true);
  gathered.add(append(0, 'one '));
  expect(handed).toEqual([['a@0:one ']]);
  gathered.add(append(4, 'two '));
  gathered.add(append(8, 'three '));
  vi.advanceTimersByTime(10);
  expect(handed).toEqual([['a@0:one '], ['a@4:two three ']]);
  gathered.add(append(14, 'four'));
  expect(handed).toHaveLength(2);
  vi.advanceTimersByTime(20);
  gathered.add(append(18, 'five'));
  expect(handed.slice(2)).toEqual([['a@14:four'], ['a@18:five']]);
});

test('H5 drops text that a change states in full, and flushes a flood at once', () => {
  const { gathered, handed } = buffer(false);
  gathered.add(append(0, 'gone'));
  gathered.drop('a', 'text');
  gathered.add(append(0, 'x'.repeat(64 * 1024), 'b'));
  expect(handed).toHaveLength(1);
  expect(handed[0]).toHaveLength(1);
});
