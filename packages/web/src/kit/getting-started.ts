/** Features that a newcomer has tried (D45). Stored on the server too, so that another browser does not start over. */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { persisted, stringList } from './persisted.ts';

export const STEPS = ['session', 'changes', 'terminal', 'palette', 'agent'] as const;
export type Step = (typeof STEPS)[number];

export const STEP_LABELS: Readonly<Record<Step, string>> = {
  session: 'Start a session',
  changes: 'Review changes',
  terminal: 'Open a terminal',
  palette: 'Open the command palette',
  agent: 'Connect an agent',
};

export const triedSteps = persisted('tried', stringList, { isShared: true });
export const isGettingStartedHidden = persisted('getting-started-hidden', (raw) => raw === true, {
  isShared: true,
});

/** Steps that leave no trace in the deck. */
export function markTried(step: Step): void {
  if (!triedSteps.get().includes(step)) triedSteps.set([...triedSteps.get(), step]);
}

export interface Facts {
  readonly deck: Deck;
  readonly tried: readonly string[];
  readonly hasReviewed: boolean;
}

export function doneSteps({ deck, tried: done, hasReviewed }: Facts): readonly Step[] {
  const facts: Readonly<Record<Step, boolean>> = {
    session: deck.sessions.some(({ summary }) => (summary?.entries ?? 0) > 0),
    changes: hasReviewed,
    terminal: false,
    palette: false,
    // Only the demo agent is built in.
    agent: deck.agents.some(({ name, installed }) => installed && name !== 'demo'),
  };
  return STEPS.filter((step) => facts[step] || done.includes(step));
}
