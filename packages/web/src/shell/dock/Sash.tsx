import type { KeyboardEvent, PointerEvent } from 'react';
import { changeLayout } from '../../kit/layout/dock.ts';
import { moveSash } from '../../kit/layout/edit-layout.ts';
import { cssBox, type PlacedSash, pixels } from './place-layout.ts';

/** Minimum size of a side in pixels while dragging. */
const MIN_SIZE = 120;
const STEP = 0.02;

/** The sash between two neighbors: dragged, or moved with arrow keys. */
export function Sash({ sash }: { sash: PlacedSash }) {
  const { path, at, direction, box, both, first, sum } = sash;
  const isRow = direction === 'row';
  const set = (share: number) => changeLayout((old) => moveSash(old, path, at, share));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const dock = event.currentTarget.parentElement;
    if (!dock || event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const whole = pixels(both, isRow ? dock.clientWidth : dock.clientHeight);
    const from = isRow ? event.clientX : event.clientY;
    const least = Math.min(MIN_SIZE, whole / 2);
    const handle = event.currentTarget;
    const onMove = (moved: globalThis.PointerEvent) => {
      const px = (first / sum) * whole + (isRow ? moved.clientX : moved.clientY) - from;
      set((Math.min(Math.max(px, least), whole - least) / whole) * sum);
    };
    const end = () => {
      handle.removeEventListener('pointermove', onMove);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.addEventListener('pointermove', onMove);
    handle.addEventListener('lostpointercapture', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = isRow
      ? { ArrowLeft: -STEP, ArrowRight: STEP }
      : { ArrowUp: -STEP, ArrowDown: STEP };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(Math.min(Math.max(first + step, sum * 0.05), sum * 0.95));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between paragraphs cannot be moved
    <div
      className="sash"
      role="separator"
      tabIndex={0}
      aria-label={isRow ? 'Panel width' : 'Panel height'}
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((first / sum) * 100)}
      data-direction={direction}
      style={cssBox(box)}
      onPointerDown={onPointerDown}
      onDoubleClick={() => set(sum / 2)}
      onKeyDown={onKeyDown}
    />
  );
}
