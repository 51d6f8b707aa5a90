/** Moves and resizes a floating group with the pointer. Loaded when first used. */
import { changeLayout } from '../../kit/layout/dock.ts';
import { moveFloat } from '../../kit/layout/edit-layout.ts';
import type { FloatBox } from '../../kit/layout/layout.ts';

const MIN_SIZE = 0.1;

export function moveByPointer(group: string, from: FloatBox, start: PointerEvent): void {
  follow(
    start,
    (x, y) => ({
      ...from,
      x: clamp(from.x + x, MIN_SIZE - from.width, 1 - MIN_SIZE),
      y: clamp(from.y + y, 0, 1 - MIN_SIZE),
    }),
    group,
  );
}

export function sizeByPointer(group: string, from: FloatBox, start: PointerEvent): void {
  follow(
    start,
    (x, y) => ({
      ...from,
      width: clamp(from.width + x, MIN_SIZE, 1),
      height: clamp(from.height + y, MIN_SIZE, 1),
    }),
    group,
  );
}

function follow(start: PointerEvent, box: (x: number, y: number) => FloatBox, group: string): void {
  const dock = document.querySelector('.dock');
  if (!dock) return;
  const { width, height } = dock.getBoundingClientRect();
  const end = new AbortController();
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 0) return end.abort();
    const next = box((event.clientX - start.clientX) / width, (event.clientY - start.clientY) / height);
    changeLayout((old) => moveFloat(old, group, next));
  };
  addEventListener('pointermove', onMove, { signal: end.signal });
  addEventListener('pointerup', () => end.abort(), { signal: end.signal });
  addEventListener('pointercancel', () => end.abort(), { signal: end.signal });
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
