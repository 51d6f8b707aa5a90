import { describe, expect, test } from 'vitest';
import { createCell, FrameQueue } from '../src/store.ts';

function frames() {
  const asked: (() => void)[] = [];
  const queue = new FrameQueue((run) => asked.push(run));
  return { asked, queue, run: () => asked.splice(0).map((frame) => frame()) };
}

describe('store', () => {
  test('C2 requests one frame and notifies each listener once, however many changes there are', () => {
    const { asked, queue, run } = frames();
    const a = createCell(0, queue);
    const b = createCell(0, queue);
    let calls = 0;
    a.subscribe(() => calls++);
    for (let value = 1; value <= 5; value++) {
      a.set(value);
      b.set(value);
    }
    expect(asked).toHaveLength(1);
    expect([a.get(), calls]).toEqual([5, 0]);
    run();
    expect(calls).toBe(1);
    a.set(5);
    expect(asked).toHaveLength(0);
  });

  test('D10 notifies a listener added twice two times, and removes each separately', () => {
    const { queue, run } = frames();
    const cell = createCell(0, queue);
    let calls = 0;
    const listener = () => calls++;
    const remove = cell.subscribe(listener);
    cell.subscribe(listener);
    cell.set(1);
    run();
    remove();
    remove();
    cell.set(2);
    run();
    expect(calls).toBe(3);
  });
});
