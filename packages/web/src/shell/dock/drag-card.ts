/** Drags a tab: shows the drop target; releasing drops it, Esc cancels. Loaded when first used. */
import { newId } from '@tugdeck/client/new-id';
import { changeLayout } from '../../kit/layout/dock.ts';
import { moveCard } from '../../kit/layout/edit-layout.ts';
import type { Place } from '../../kit/layout/layout.ts';
import { type DropGroup, dropAt } from './drop-place.ts';

/** A shorter move in pixels is a click. */
const SLACK = 6;

export function dragCard(card: string, start: PointerEvent): void {
  dragToDock(start, (to) => changeLayout((old) => moveCard(old, card, to, newId())));
}

export function dragToDock(start: PointerEvent, onDrop: (place: Place) => void): void {
  const dock = document.querySelector<HTMLElement>('.dock');
  if (!dock) return;
  const hint = document.createElement('div');
  hint.className = 'drop-hint';
  const end = new AbortController();
  let place: Place | undefined;
  let isMoving = false;
  const stop = () => {
    end.abort();
    hint.remove();
    dock.removeAttribute('data-dragging');
  };
  const onMove = (event: PointerEvent) => {
    if (event.buttons === 0) return stop();
    if (!isMoving && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < SLACK) return;
    if (!isMoving) {
      isMoving = true;
      dock.append(hint);
      dock.dataset.dragging = 'true';
    }
    const area = dock.getBoundingClientRect();
    const drop = dropAt(
      { x: event.clientX, y: event.clientY },
      { area, groups: groupsNow(dock), isFloat: event.shiftKey },
    );
    place = drop?.place;
    hint.hidden = drop === undefined;
    if (!drop) return;
    hint.style.left = `${drop.box.left - area.left}px`;
    hint.style.top = `${drop.box.top - area.top}px`;
    hint.style.width = `${drop.box.width}px`;
    hint.style.height = `${drop.box.height}px`;
  };
  const onUp = () => {
    stop();
    if (!isMoving) return;
    // Suppresses the click that may follow at once, which would select the tab.
    const over = new AbortController();
    addEventListener('click', (event) => event.stopPropagation(), { capture: true, signal: over.signal });
    setTimeout(() => over.abort());
    const to = place;
    if (to) onDrop(to);
  };
  const { signal } = end;
  addEventListener('pointermove', onMove, { signal });
  addEventListener('pointerup', onUp, { signal });
  addEventListener('pointercancel', stop, { signal });
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isMoving) return;
      event.preventDefault();
      event.stopPropagation();
      stop();
    },
    { signal, capture: true },
  );
}

/** Topmost group first. */
function groupsNow(dock: HTMLElement): readonly DropGroup[] {
  return [...dock.querySelectorAll<HTMLElement>('.dock-group:not([hidden])')]
    .map((element) => ({
      id: element.dataset.group ?? '',
      isFloating: element.dataset.floating === 'true',
      layer: Number(element.style.zIndex),
      box: element.getBoundingClientRect(),
      strip: (element.querySelector('.strip') ?? element).getBoundingClientRect(),
      tabs: [...element.querySelectorAll('[role=tab]')].map((each) => each.getBoundingClientRect()),
    }))
    .sort((a, b) => b.layer - a.layer);
}
