/**
 * Page-wide data for the click delay (C6): the last presses, the last answer, and when the window came to the
 * front. Captured by one listener per event type, so that nothing on the page can hide a press.
 */
import type { Press } from './answer-rules.ts';

export interface PageFacts {
  press: Press | undefined;
  before: Press | undefined;
  answeredAt: number;
  windowAt: number;
}

export const pageFacts: PageFacts = {
  press: undefined,
  before: undefined,
  answeredAt: Number.NEGATIVE_INFINITY,
  windowAt: Number.NEGATIVE_INFINITY,
};

const listeners = new Set<() => void>();
const checks = new Set<() => void>();
let isWatching = false;
let begunOn: unknown;
/** The last press of each finger or mouse: the click of one finger comes after the presses of others. */
const pressed = new Map<number, Press>();
/** The key that is down. Only then can a click come from it. */
let heldKey: string | undefined;

/** Called when all requests have to wait again. */
export function watchPage(listener: () => void): () => void {
  if (!isWatching) startWatching();
  isWatching = true;
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called at every press before it is recorded, to see what moved before it. */
export function beforePress(check: () => void): () => void {
  checks.add(check);
  return () => checks.delete(check);
}

export function noteAnswer(at: number): void {
  pageFacts.answeredAt = Math.max(pageFacts.answeredAt, at);
  notify();
}

function notify(): void {
  for (const listener of [...listeners]) listener();
}

function startWatching(): void {
  const options = { capture: true, passive: true };
  window.addEventListener('pointerdown', onPointerDown, options);
  window.addEventListener('mousedown', onMouseDown, options);
  window.addEventListener('pointercancel', ({ pointerId }) => pressed.delete(pointerId), options);
  window.addEventListener('keydown', onKeyDown, options);
  window.addEventListener('keyup', onKeyUp, options);
  window.addEventListener('click', onClick, options);
  window.addEventListener('focus', onWindow);
  window.addEventListener('pageshow', onWindow);
  document.addEventListener('visibilitychange', onWindow);
}

function onWindow(event: Event): void {
  // Focus events of elements do not bubble; this is the window's.
  if (document.visibilityState !== 'visible') return;
  pageFacts.windowAt = Math.max(event.timeStamp, performance.now());
  notify();
}

function record(press: Press): void {
  for (const check of [...checks]) check();
  pageFacts.before = pageFacts.press;
  pageFacts.press = press;
}

function onPointerDown(event: PointerEvent): void {
  const { timeStamp: at, clientX: x, clientY: y } = event;
  const isTouch = event.pointerType === 'touch';
  const press: Press = { kind: 'pointer', at, control: controlOf(event), x, y, isTouch };
  pressed.set(event.pointerId, press);
  record(press);
}

/** Only mousedown has the click count. */
function onMouseDown(event: MouseEvent): void {
  const { press } = pageFacts;
  if (press?.kind !== 'pointer') return;
  if (event.detail <= 1) begunOn = press.control;
  pageFacts.press = { ...press, begunOn };
}

const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta']);

function onKeyDown(event: KeyboardEvent): void {
  // A held space bar presses once, on release.
  heldKey = event.key;
  if (MODIFIERS.has(event.key) || (event.repeat && event.key === ' ')) return;
  const { timeStamp: at, key, repeat } = event;
  record({ kind: 'key', at, control: controlOf(event), x: 0, y: 0, key, isRepeated: repeat });
}

/** The space bar clicks after this. */
function onKeyUp(): void {
  setTimeout(() => {
    heldKey = undefined;
  });
}

/** A click without a press comes from assistive technology. */
function onClick(event: MouseEvent): void {
  if (event.detail > 0) {
    const own = event instanceof PointerEvent ? pressed.get(event.pointerId) : undefined;
    if (own && own.at !== pageFacts.press?.at) {
      pageFacts.before = pageFacts.press;
      pageFacts.press = own;
    }
    return;
  }
  const { press } = pageFacts;
  const isByKey = press?.kind === 'key' && (heldKey === 'Enter' || heldKey === ' ');
  if (isByKey || (press !== undefined && press.at === event.timeStamp)) return;
  // A label forwards its click to its field.
  if (press?.kind === 'pointer' && event.timeStamp - press.at < 1_000) return;
  record({ kind: 'assist', at: event.timeStamp, control: controlOf(event), x: 0, y: 0 });
}

const CONTROLS = 'button, a, input, select, textarea, label, summary, [role=menuitem], [role=tab]';

/** The control of a press; the document if it hits none. */
function controlOf(event: Event): unknown {
  const [target] = event.composedPath();
  return target instanceof Element ? (target.closest(CONTROLS) ?? target) : target;
}
