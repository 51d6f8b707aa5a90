/** Maps keys to answers (C6). The click delay decides whether the press counts. */
import { actionForKey } from '../../kit/keys/keymap.ts';
import type { KeyPress } from '../../kit/keys/press.ts';

export type RequestAction = 'allow' | 'deny' | 'always';

export interface KeyFacts {
  readonly press: KeyPress;
  /** The user is typing into a field of the request. */
  readonly isTyping: boolean;
}

const ACTIONS: Readonly<Record<string, RequestAction>> = {
  'request.allow': 'allow',
  'request.deny': 'deny',
  'request.always': 'always',
};

export function actionOfKey(facts: KeyFacts): RequestAction | undefined {
  if (facts.isTyping) return undefined;
  // Keys that send messages or press buttons never answer, even if assigned (C6).
  if (facts.press.key === 'Enter' || facts.press.key === ' ') return undefined;
  return ACTIONS[actionForKey(facts.press, 'request', { isTyping: false }) ?? ''];
}
