/**
 * When a key may answer a request (C6): only with the focus in it, never in the first moments after it appeared or
 * changed, so that what was typed for something else cannot allow anything.
 */
import { askedBy } from '../../../app/keys/keymap.ts';
import type { KeyPress } from '../../../app/keys/press.ts';

export const GRACE_MS = 400;

export type RequestAction = 'allow' | 'deny' | 'always';

export interface KeyFacts {
  readonly press: KeyPress;
  /** Typing into a field of the request. */
  readonly isTyping: boolean;
  readonly isFresh: boolean;
}

const ACTIONS: Readonly<Record<string, RequestAction>> = {
  'request.allow': 'allow',
  'request.deny': 'deny',
  'request.always': 'always',
};

export function actionOfKey(facts: KeyFacts): RequestAction | undefined {
  if (facts.isTyping || facts.isFresh) return undefined;
  // Whatever is chosen: what sends a message or presses a button never answers (C6).
  if (facts.press.key === 'Enter' || facts.press.key === ' ') return undefined;
  return ACTIONS[askedBy(facts.press, 'request', { isTyping: false }) ?? ''];
}
