/**
 * A swipe to the right on a phone goes back, as the Back button does (D8). A finger on something that scrolls sideways, on
 * text that is being selected, or at the screen's edge, where the browser has its own gesture, is left alone.
 */
import { useEffect } from 'react';

const MIN_DISTANCE = 90;
const MAX_MS = 600;
/** Sideways movement per vertical movement. */
const MIN_SLOPE = 2.5;
const EDGE = 24;
/** Elements that use sideways movement themselves. */
const OWN_GESTURES =
  'input, textarea, select, iframe, .xterm, .cm-editor, [role="slider"], [role="separator"], dialog, [popover]';

interface Begun {
  readonly x: number;
  readonly y: number;
  readonly at: number;
}

export function useSwipeBack(isPhone: boolean, onBack: () => void): void {
  useEffect(() => {
    if (!isPhone) return;
    let begun: Begun | undefined;
    const onStart = ({ touches, target, timeStamp }: TouchEvent) => {
      const [touch] = touches;
      begun =
        touch && touches.length === 1 && touch.clientX > EDGE && isFree(target)
          ? { x: touch.clientX, y: touch.clientY, at: timeStamp }
          : undefined;
    };
    const onEnd = ({ changedTouches, timeStamp }: TouchEvent) => {
      const start = begun;
      begun = undefined;
      const [touch] = changedTouches;
      if (!start || !touch || timeStamp - start.at > MAX_MS) return;
      const across = touch.clientX - start.x;
      if (across < MIN_DISTANCE || across < MIN_SLOPE * Math.abs(touch.clientY - start.y)) return;
      if (getSelection()?.isCollapsed === false || (visualViewport?.scale ?? 1) > 1.01) return;
      onBack();
    };
    const onCancel = () => {
      begun = undefined;
    };
    const options = { passive: true } as const;
    addEventListener('touchstart', onStart, options);
    addEventListener('touchend', onEnd, options);
    addEventListener('touchcancel', onCancel, options);
    return () => {
      removeEventListener('touchstart', onStart);
      removeEventListener('touchend', onEnd);
      removeEventListener('touchcancel', onCancel);
    };
  }, [isPhone, onBack]);
}

function isFree(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target.closest(OWN_GESTURES)) return false;
  for (let node: Element | null = target; node; node = node.parentElement) {
    if (node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX))
      return false;
  }
  return true;
}
