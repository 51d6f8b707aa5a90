/**
 * The page-wide facts behind the click delay (C6): the last presses, the last answer, and when the window came to the
 * front. One listener of each kind for the whole page, on capture, so that nothing on the page can hide a press from it.
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
const looks = new Set<() => void>();
let isWatching = false;
let begunOn: unknown;

/** Calls back when a page-wide fact changed that makes every request wait anew. */
export function watchPage(listener: () => void): () => void {
  if (!isWatching) startWatching();
  isWatching = true;
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls back at every press, before it is recorded: what moved until then did not move because of it. */
export function beforePress(look: () => void): () => void {
  looks.add(look);
  return () => looks.delete(look);
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
  window.addEventListener('keydown', onKeyDown, options);
  window.addEventListener('click', onClick, options);
  window.addEventListener('focus', onWindow);
  window.addEventListener('pageshow', onWindow);
  document.addEventListener('visibilitychange', onWindow);
}

function onWindow(event: Event): void {
  // Focus events of elements do not bubble: one that arrives here is the window's own.
  if (document.visibilityState !== 'visible') return;
  pageFacts.windowAt = Math.max(event.timeStamp, performance.now());
  notify();
}

function record(press: Press): void {
  for (const look of [...looks]) look();
  pageFacts.before = pageFacts.press;
  pageFacts.press = press;
}

function onPointerDown(event: PointerEvent): void {
  const { timeStamp: at, clientX: x, clientY: y } = event;
  record({ kind: 'pointer', at, control: controlOf(event), x, y });
}

/** The count of a double click is told here only. */
function onMouseDown(event: MouseEvent): void {
  const { press } = pageFacts;
  if (press?.kind !== 'pointer') return;
  if (event.detail <= 1) begunOn = press.control;
  pageFacts.press = { ...press, begunOn };
}

const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta']);

function onKeyDown(event: KeyboardEvent): void {
  // A space bar that is held presses once, when it is let go.
  if (MODIFIERS.has(event.key) || (event.repeat && event.key === ' ')) return;
  const { timeStamp: at, key, repeat } = event;
  record({ kind: 'key', at, control: controlOf(event), x: 0, y: 0, key, isRepeated: repeat });
}

/** A click without a press is that of a screen reader or another assistive program. */
function onClick(event: MouseEvent): void {
  if (event.detail > 0) return;
  const { press } = pageFacts;
  const isByKey = press?.kind === 'key' && (press.key === 'Enter' || press.key === ' ');
  if (isByKey || (press !== undefined && press.at === event.timeStamp)) return;
  // A label passes its click on to its field.
  if (press?.kind === 'pointer' && event.timeStamp - press.at < 1_000) return;
  record({ kind: 'assist', at: event.timeStamp, control: controlOf(event), x: 0, y: 0 });
}

const CONTROLS = 'button, a, input, select, textarea, label, summary, [role=menuitem], [role=tab]';

/** What a press is for; the whole document where it hits nothing that can be pressed. */
function controlOf(event: Event): unknown {
  const [target] = event.composedPath();
  return target instanceof Element ? (target.closest(CONTROLS) ?? target) : target;
}
