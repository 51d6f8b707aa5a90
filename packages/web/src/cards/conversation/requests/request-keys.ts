/** Which answer a key stands for (C6). Whether it counts is decided by the click delay, as for every other press. */
import { actionForKey } from '../../../app/keys/keymap.ts';
import type { KeyPress } from '../../../app/keys/press.ts';

export type RequestAction = 'allow' | 'deny' | 'always';

export interface KeyFacts {
  readonly press: KeyPress;
  /** Typing into a field of the request. */
  readonly isTyping: boolean;
}

const ACTIONS: Readonly<Record<string, RequestAction>> = {
  'request.allow': 'allow',
  'request.deny': 'deny',
  'request.always': 'always',
};

export function actionOfKey(facts: KeyFacts): RequestAction | undefined {
  if (facts.isTyping) return undefined;
  // Whatever is chosen: what sends a message or presses a button never answers (C6).
  if (facts.press.key === 'Enter' || facts.press.key === ' ') return undefined;
  return ACTIONS[actionForKey(facts.press, 'request', { isTyping: false }) ?? ''];
}
