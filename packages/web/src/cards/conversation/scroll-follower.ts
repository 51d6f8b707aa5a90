/** Keeps a scroller at its end while it follows; scroll-rules.ts has the pure rules, this applies them to the DOM. */
import { afterScroll, type Following, isNearEnd, NEAR, type ScrollPlace } from './scroll-rules.ts';

export interface ScrollFollower {
  place(): { isFollowing: boolean; top: number };
  toEnd(): void;
  stop(): void;
  end(): void;
}

export interface ScrollFollowerOptions {
  isFollowing: boolean;
  onChange: (isFollowing: boolean) => void;
}

/**
 * After rows are measured, a scroll within this many frames without user input is a correction. In frames, because
 * a busy page delivers corrections later, but not more of them.
 */
const SETTLING_FRAMES = 20;
const ACTS = ['wheel', 'touchmove', 'pointerdown', 'keydown', 'focusin'] as const;
const UPWARDS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

export function createScrollFollower(
  scroller: HTMLElement,
  { isFollowing, onChange }: ScrollFollowerOptions,
): ScrollFollower {
  const read = (): ScrollPlace => ({
    top: scroller.scrollTop,
    viewport: scroller.clientHeight,
    height: followedHeight(scroller),
  });
  let state: Following = { isFollowing, height: followedHeight(scroller), top: scroller.scrollTop };
  if (!isFollowing) onChange(false);

  const set = (next: Following) => {
    const isChanged = next.isFollowing !== state.isFollowing;
    state = next;
    if (isChanged) onChange(next.isFollowing);
  };
  /** The last open request, and whether the user did anything here since it is. */
  let asked: Element | undefined;
  let hasActed = false;
  const act = () => {
    hasActed = true;
  };
  const stick = () => {
    if (!state.isFollowing) return;
    const request = lastRequest(scroller);
    if (request !== asked) hasActed = false;
    asked = request;
    const { top, viewport, height } = read();
    const end = height === scroller.scrollHeight ? height : height - viewport;
    // Who scrolled on to the buttons of a request is not pulled back.
    if (!(hasActed && request) || top < height - viewport) scroller.scrollTop = end;
    state = { isFollowing: true, height, top: scroller.scrollTop };
  };
  const stop = () => set({ ...state, isFollowing: false, top: scroller.scrollTop });
  let settling = 0;
  const settle = () => {
    const isCounting = settling > 0;
    settling = SETTLING_FRAMES;
    if (!isCounting) requestAnimationFrame(countFrame);
  };
  const countFrame = () => {
    settling -= 1;
    if (settling > 0) requestAnimationFrame(countFrame);
  };
  const onResize = () => {
    settle();
    stick();
  };
  const onScroll = () => {
    if (state.isFollowing && settling > 0) stick();
    else set(afterScroll(state, read()));
  };
  // A small upward scroll can be hidden by a correction of the same size: these events show that it was the user.
  const onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0 && scroller.scrollTop > 0) stop();
    else if (event.deltaY > 0 && isNearEnd(read())) set({ ...state, isFollowing: true });
  };
  const onTouchMove = () => {
    if (scroller.scrollTop > 0) stop();
  };
  // The scroller's own scrollbar; its content has another target.
  const onPointerDown = (event: PointerEvent) => {
    if (event.target === scroller) stop();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target === scroller && UPWARDS.has(event.key) && scroller.scrollTop > 0) stop();
  };

  const sizes = new ResizeObserver(onResize);
  sizes.observe(scroller);
  for (const child of scroller.children) sizes.observe(child);
  scroller.addEventListener('scroll', onScroll, { passive: true });
  scroller.addEventListener('wheel', onWheel, { passive: true });
  scroller.addEventListener('touchmove', onTouchMove, { passive: true });
  scroller.addEventListener('pointerdown', onPointerDown);
  scroller.addEventListener('keydown', onKeyDown);
  for (const kind of ACTS) scroller.addEventListener(kind, act, { capture: true, passive: true });
  settle();
  stick();

  return {
    place: () => ({ isFollowing: state.isFollowing, top: scroller.scrollTop }),
    toEnd() {
      set({ ...state, isFollowing: true });
      stick();
    },
    stop,
    end() {
      settling = 0;
      sizes.disconnect();
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('wheel', onWheel);
      scroller.removeEventListener('touchmove', onTouchMove);
      scroller.removeEventListener('pointerdown', onPointerDown);
      scroller.removeEventListener('keydown', onKeyDown);
      for (const kind of ACTS) scroller.removeEventListener(kind, act, { capture: true });
    },
  };
}

/** Above a request: its row begins there. When a row that begins above the view grows, the virtualizer scrolls down by as much. */
const MARGIN = 16;

/**
 * The height of what is followed: all of it, or what ends one view below the beginning of a last request that doesn't fit: what
 * would be allowed is seen before the button that allows it.
 */
function followedHeight(scroller: HTMLElement): number {
  const { scrollHeight, scrollTop, clientHeight } = scroller;
  const request = lastRequest(scroller);
  if (!request) return scrollHeight;
  const { top, bottom } = request.getBoundingClientRect();
  const above = scrollTop - scroller.getBoundingClientRect().top;
  if (scrollHeight - (above + bottom) > NEAR) return scrollHeight;
  return Math.min(scrollHeight, Math.floor(above + top) - MARGIN + clientHeight);
}

function lastRequest(scroller: HTMLElement): Element | undefined {
  return [...scroller.querySelectorAll('[data-request]')].at(-1);
}
