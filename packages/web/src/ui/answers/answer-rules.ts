/**
 * Decides whether a press may answer a request (C6): the request must have been visible, unchanged and in place for
 * the delay before the press began. Pure; all times are event timestamps.
 */

/** Longer than the gap in a double click, shorter than reading takes. */
export const ANSWER_DELAY_MS = 400;

/** Presses closer than this count as the same place, because a hand is never quite still. */
const SAME_PLACE_PX = 24;
/** How far apart browsers let the two taps of a double tap be. */
const SAME_TAP_PX = 100;

export type Refusal =
  | 'new' // the request appeared or changed
  | 'answered' // another request was answered
  | 'window' // the window came to the front
  | 'moved' // the request moved
  | 'elsewhere' // the press before this one, in this place, was for another control
  | 'focus' // the focus came here without the user moving it
  | 'held' // a key is held down
  | 'unseen'; // the request is scrolled out of view

export interface Press {
  readonly kind: 'pointer' | 'key' | 'assist';
  readonly at: number;
  readonly control: unknown;
  readonly x: number;
  readonly y: number;
  readonly key?: string | undefined;
  readonly isRepeated?: boolean | undefined;
  /** By a finger, which is less exact. */
  readonly isTouch?: boolean | undefined;
  /** The control on which a double or triple click began. */
  readonly begunOn?: unknown;
}

export interface AnswerFacts {
  readonly press: Press;
  /** The previous press, anywhere on the page. */
  readonly before: Press | undefined;
  /** When the request was rendered in its current form; infinite until then. */
  readonly shownAt: number;
  readonly movedAt: number;
  readonly answeredAt: number;
  readonly windowAt: number;
  /** When the focus entered the request; undefined if it is elsewhere. */
  readonly focusedAt: number | undefined;
  readonly isInView: boolean;
  /** Whether the press, and the one before it, began on a control of this request. */
  readonly isInside: boolean;
  readonly isBeforeInside: boolean;
}

export function refusalOf(facts: AnswerFacts): Refusal | undefined {
  const { press, before, focusedAt } = facts;
  const isRecent = (at: number) => press.at < at + ANSWER_DELAY_MS;
  if (isRecent(facts.shownAt)) return 'new';
  if (isRecent(facts.answeredAt)) return 'answered';
  if (isRecent(facts.windowAt)) return 'window';
  if (press.kind === 'key') {
    if (press.isRepeated) return 'held';
    if (focusedAt !== undefined && isRecent(focusedAt)) return 'focus';
    if (!facts.isInView) return 'unseen';
  } else if (isRecent(facts.movedAt)) return 'moved';
  // The click of one finger while another finger pressed something else.
  if (press.kind === 'pointer' && !facts.isInside) return 'elsewhere';
  const isContinued = before !== undefined && isRecent(before.at) && before.control !== press.control;
  if (isContinued && isSameGesture(before, press, facts.isBeforeInside)) return 'elsewhere';
  return press.begunOn === undefined || press.begunOn === press.control ? undefined : 'elsewhere';
}

/** A double click or double Enter: the second half belongs to the control of the first. */
function isSameGesture(before: Press, press: Press, isBeforeInside: boolean): boolean {
  if (before.kind !== press.kind) return false;
  if (press.kind === 'key') return before.key === press.key && isActivation(press.key);
  // Inside one request, choosing and then answering is not a double tap.
  const isTap = press.isTouch === true && !isBeforeInside;
  return Math.hypot(before.x - press.x, before.y - press.y) < (isTap ? SAME_TAP_PX : SAME_PLACE_PX);
}

function isActivation(key: string | undefined): boolean {
  return key === 'Enter' || key === ' ';
}

/** When a pointer may answer again; shown as the frame's disabled state. */
export function readyAt(facts: Pick<AnswerFacts, 'shownAt' | 'movedAt' | 'answeredAt' | 'windowAt'>): number {
  return Math.max(facts.shownAt, facts.movedAt, facts.answeredAt, facts.windowAt) + ANSWER_DELAY_MS;
}

const REASONS: Readonly<Record<Refusal, string>> = {
  new: 'This just appeared.',
  answered: 'You just answered another request.',
  window: 'The window just came to the front.',
  moved: 'This just moved.',
  elsewhere: 'That click began on something else.',
  focus: 'The keyboard focus just moved here.',
  held: 'That key was held down.',
  unseen: 'This request is out of view.',
};

export function refusalText(refusal: Refusal): string {
  return `${REASONS[refusal]} Not answered yet. Press again to confirm.`;
}
