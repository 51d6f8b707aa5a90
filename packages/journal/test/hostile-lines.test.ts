import { expect, test } from 'vitest';
import { decodeBody } from '../src/format.ts';

const entry = (seq: number) => ({ kind: 'text', id: 'a', seq, rev: 0, at: 1, text: 'x', status: 'complete' });

test('X2 quarantines a line with an absurdly high seq without allocating for it', () => {
  const change = { v: 1, at: 1, kind: 'turn.cancelling' };
  expect(decodeBody(JSON.stringify({ c: [change], s: 1, e: [entry(3)] }))).toBeDefined();
  for (const seq of [1e15, 2 ** 53, 1e308, -1, 0.5]) {
    expect(decodeBody(JSON.stringify({ c: [change], s: 1, e: [entry(seq)] }))).toBeUndefined();
    expect(decodeBody(JSON.stringify({ c: [change], s: seq }))).toBeUndefined();
  }
});
