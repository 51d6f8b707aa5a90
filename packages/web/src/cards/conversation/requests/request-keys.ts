/**
 * When a key may answer a request (C6): only with the focus in it, never in the first moments after it appeared or
 * changed, so that what was typed for something else cannot allow anything. Pure.
 */
export const GRACE_MS = 400;

export type RequestAction = 'allow' | 'deny' | 'always';

export interface KeyFacts {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Typing into a field of the request. */
  readonly isTyping: boolean;
  readonly isFresh: boolean;
}

const KEYS: Readonly<Record<string, RequestAction>> = { y: 'allow', n: 'deny', a: 'always' };

export function actionOfKey(facts: KeyFacts): RequestAction | undefined {
  if (facts.hasModifier || facts.isTyping || facts.isFresh) return undefined;
  return KEYS[facts.key.toLowerCase()];
}
