/** Opens the changes of a session: in its panel, or in its Review card if that is open. */
import type { ReviewScope } from '@tugdeck/protocol/review/review-messages';
import { cell } from './cell.ts';
import { layout } from './layout/dock.ts';
import { findCard, openCard, showCard } from './layout/open-card.ts';
import { showPanel } from './session-panel.ts';

export interface WantedChanges {
  readonly session: string;
  /** What to compare; the review takes this from here. */
  readonly scope: ReviewScope;
}

export const wantedChanges = cell<WantedChanges | undefined>(undefined);

export function openChanges(project: string, session: string, turn?: string): void {
  if (turn !== undefined) wantedChanges.set({ session, scope: { since: 'turn', turn } });
  show(project, session);
}

export function openComparison(project: string, session: string, scope: ReviewScope): void {
  wantedChanges.set({ session, scope });
  show(project, session);
}

function show(project: string, session: string): void {
  const card = findCard(layout.get(), 'review', { project, session });
  if (card) {
    showCard(card.id);
    return;
  }
  openCard('conversation', { session });
  showPanel(session, 'changes');
}
