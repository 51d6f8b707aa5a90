import { type RefObject, useEffect } from 'react';

/** A press of Tab moves the focus into the frame within this time. */
const TAB_MS = 500;

/**
 * Returns the focus to the deck if a previewed app takes it: keystrokes are meant for the deck, unless the pointer is
 * over the frame or Tab led there.
 */
export function useFocusGuard(frame: RefObject<HTMLIFrameElement | null>, isAllowed: () => boolean): void {
  useEffect(() => {
    let isPointerIn = false;
    let tabbedAt = Number.NEGATIVE_INFINITY;
    let last: Element | null = null;
    const onPointer = (event: Event) => {
      isPointerIn = event.target === frame.current;
    };
    const onLeave = () => {
      isPointerIn = false;
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Tab') tabbedAt = performance.now();
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target !== frame.current) last = target;
    };
    const onBlur = () => {
      const isInside = document.activeElement === frame.current && frame.current !== null;
      if (!isInside || isPointerIn || isAllowed() || performance.now() - tabbedAt < TAB_MS) return;
      const back = last;
      setTimeout(() => {
        if (back instanceof HTMLElement && back.isConnected) back.focus({ preventScroll: true });
        else frame.current?.blur();
      });
    };
    document.addEventListener('pointerover', onPointer);
    document.documentElement.addEventListener('pointerleave', onLeave);
    document.addEventListener('keydown', onKey, true);
    document.addEventListener('focusin', onFocus);
    window.addEventListener('blur', onBlur);
    return () => {
      document.removeEventListener('pointerover', onPointer);
      document.documentElement.removeEventListener('pointerleave', onLeave);
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('focusin', onFocus);
      window.removeEventListener('blur', onBlur);
    };
  }, [frame, isAllowed]);
}
