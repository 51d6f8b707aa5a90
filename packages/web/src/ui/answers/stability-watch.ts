/**
 * Tracks since when a request has been rendered, unmoved and focused (C6). Checks its position ten times a second,
 * on scroll and resize, and at each press; a late check only lengthens the delay.
 */
import { ANSWER_DELAY_MS } from './answer-rules.ts';
import { beforePress, pageFacts } from './page-presses.ts';

const LOOK_MS = 100;
/** Smaller differences are rounding. */
const TOLERANCE_PX = 2;

interface Place {
  /** Position of the frame and its buttons, and the scroll offsets around it. */
  readonly spots: readonly number[];
  readonly scrolled: { readonly left: number; readonly top: number };
  /** Changes with the content size of the surrounding scrollers. */
  readonly extent: number;
  /** The scale and size of the visible part of the page: pinching and on-screen keyboards move no element. */
  readonly view: readonly number[];
}

export class StabilityWatch {
  movedAt = Number.NEGATIVE_INFINITY;
  focusedAt: number | undefined;
  readonly #element: HTMLElement;
  readonly #onMove: () => void;
  #place: Place;
  #grewAt = Number.NEGATIVE_INFINITY;

  constructor(element: HTMLElement, onMove: () => void) {
    this.#element = element;
    this.#onMove = onMove;
    this.#place = placeOf(element);
    if (element.contains(document.activeElement)) this.focusedAt = performance.now();
  }

  check(): void {
    const before = this.#place;
    const now = placeOf(this.#element);
    this.#place = now;
    if (before.extent !== now.extent) this.#grewAt = performance.now();
    if (!isMoved(before, now) || this.#isScrolledByUser(before, now) || this.#wasPressed()) return;
    this.movedAt = performance.now();
    this.#onMove();
  }

  isInView(): boolean {
    let { top, bottom } = this.#element.getBoundingClientRect();
    for (let node = this.#element.parentElement; node; node = node.parentElement) {
      if (node.scrollHeight <= node.clientHeight) continue;
      const box = node.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return Math.min(bottom, window.innerHeight) - Math.max(top, 0) > 0;
  }

  contains(control: unknown): boolean {
    return control instanceof Node && this.#element.contains(control);
  }

  /** Also right after content grew, because then the page itself scrolls to follow it. */
  #isScrolledByUser(before: Place, now: Place): boolean {
    return performance.now() - this.#grewAt >= ANSWER_DELAY_MS && isOnlyScrolled(before, now);
  }

  /** Content that expands because of a press in the request moves its buttons as expected. */
  #wasPressed(): boolean {
    const { press } = pageFacts;
    if (!press || performance.now() - press.at > ANSWER_DELAY_MS) return false;
    return this.contains(press.control);
  }

  onFocusIn(event: FocusEvent): void {
    const from = event.relatedTarget;
    if (from instanceof Node && this.#element.contains(from)) return;
    // Tab may have been meant for a completion, and Enter after it for the composer.
    const isByPointer = pageFacts.press?.kind === 'pointer' && this.#wasPressed();
    this.focusedAt = isByPointer ? Number.NEGATIVE_INFINITY : performance.now();
  }

  onFocusOut(event: FocusEvent): void {
    const to = event.relatedTarget;
    if (!(to instanceof Node && this.#element.contains(to))) this.focusedAt = undefined;
  }

  /** Typing into a field of the request is intentional. */
  onInput(): void {
    if (this.focusedAt !== undefined) this.focusedAt = Number.NEGATIVE_INFINITY;
  }
}

function placeOf(element: HTMLElement): Place {
  const frame = element.getBoundingClientRect();
  const buttons =
    element.querySelector('.request-actions, .dialog-actions')?.getBoundingClientRect() ?? frame;
  const scrolled = { left: 0, top: 0 };
  let extent = 0;
  for (let node = element.parentElement; node; node = node.parentElement) {
    scrolled.left += node.scrollLeft;
    scrolled.top += node.scrollTop;
    extent += node.scrollHeight + node.clientHeight;
  }
  // A card behind another keeps its position.
  const isDrawn = frame.width > 0 && element.checkVisibility({ visibilityProperty: true });
  const spots = isDrawn ? [frame.left, frame.top, buttons.left, buttons.top] : [];
  const { scale = 1, width = 0, height = 0 } = window.visualViewport ?? {};
  return { spots, scrolled, extent, view: [scale * 100, width, height] };
}

const differs = (before: readonly number[], now: readonly number[]) =>
  now.some((value, index) => Math.abs(value - (before[index] ?? 0)) > TOLERANCE_PX);

function isMoved(before: Place, now: Place): boolean {
  if (before.spots.length !== now.spots.length) return true;
  return differs(before.spots, now.spots) || differs(before.view, now.view);
}

/** The position changed by exactly the scroll offset and nothing around it grew. */
function isOnlyScrolled(before: Place, now: Place): boolean {
  if (before.spots.length !== now.spots.length || differs(before.view, now.view)) return false;
  const shift = [before.scrolled.left - now.scrolled.left, before.scrolled.top - now.scrolled.top];
  return now.spots.every((spot, index) => {
    const expected = (before.spots[index] ?? 0) + (shift[index % 2] ?? 0);
    return Math.abs(spot - expected) <= TOLERANCE_PX;
  });
}

const watches = new Set<StabilityWatch>();
let timer: ReturnType<typeof setInterval> | undefined;
let endPresses: () => void = () => undefined;

export function checkAll(): void {
  for (const watch of [...watches]) watch.check();
}

/** Watches an answerable element until the returned function is called. */
export function watchStability(
  element: HTMLElement,
  onMove: () => void,
): { watch: StabilityWatch; end: () => void } {
  const watch = new StabilityWatch(element, onMove);
  watches.add(watch);
  if (timer === undefined) {
    timer = setInterval(checkAll, LOOK_MS);
    endPresses = beforePress(checkAll);
    window.addEventListener('scroll', checkAll, { capture: true, passive: true });
    window.addEventListener('resize', checkAll, { passive: true });
    window.visualViewport?.addEventListener('resize', checkAll, { passive: true });
  }
  const sizes = new ResizeObserver(checkAll);
  sizes.observe(element);
  const onFocusIn = (event: FocusEvent) => watch.onFocusIn(event);
  const onFocusOut = (event: FocusEvent) => watch.onFocusOut(event);
  const onInput = () => watch.onInput();
  element.addEventListener('focusin', onFocusIn);
  element.addEventListener('focusout', onFocusOut);
  element.addEventListener('input', onInput);
  const end = () => {
    watches.delete(watch);
    sizes.disconnect();
    element.removeEventListener('focusin', onFocusIn);
    element.removeEventListener('focusout', onFocusOut);
    element.removeEventListener('input', onInput);
    if (watches.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    endPresses();
    window.removeEventListener('scroll', checkAll, { capture: true });
    window.removeEventListener('resize', checkAll);
    window.visualViewport?.removeEventListener('resize', checkAll);
  };
  return { watch, end };
}
