import type { KeyboardEvent, PointerEvent } from 'react';
import { DEFAULT_WIDTH, MIN_WIDTH } from '../../kit/session-panel.ts';

const RESIZE_STEP = 16;

/** The left edge of the session panel: dragged, or moved by arrow keys; a double click restores the width. */
export function PanelResizer({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const maxWidth = () => Math.max(MIN_WIDTH, Math.round(innerWidth / 2));
  const set = (next: number) => onResize(Math.min(Math.max(Math.round(next), MIN_WIDTH), maxWidth()));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const start = handle.parentElement?.getBoundingClientRect().width ?? width;
    const onMove = (moved: globalThis.PointerEvent) => set(start + from - moved.clientX);
    const end = () => {
      handle.removeEventListener('pointermove', onMove);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.addEventListener('pointermove', onMove);
    handle.addEventListener('lostpointercapture', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: RESIZE_STEP, ArrowRight: -RESIZE_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(width + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between paragraphs cannot be moved
    <div
      className="panel-resizer"
      role="separator"
      tabIndex={0}
      aria-label="Session panel width"
      aria-orientation="vertical"
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={maxWidth()}
      aria-valuenow={width}
      onPointerDown={onPointerDown}
      onDoubleClick={() => set(DEFAULT_WIDTH)}
      onKeyDown={onKeyDown}
    />
  );
}
