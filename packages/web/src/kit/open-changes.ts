/** Opens the changes of a session: in its panel, or in its Review card if that is open. */
import { cell } from './cell.ts';
import { layout } from './layout/dock.ts';
import { findCard, openCard, showCard } from './layout/open-card.ts';
import { showPanel } from './session-panel.ts';

export interface WantedChanges {
  readonly session: string;
  /** Changes since this turn; the review takes this from here. */
  readonly turn: string;
}

export const wantedChanges = cell<WantedChanges | undefined>(undefined);

export function openChanges(project: string, session: string, turn?: string): void {
  if (turn !== undefined) wantedChanges.set({ session, turn });
  const card = findCard(layout.get(), 'review', { project, session });
  if (card) {
    showCard(card.id);
    return;
  }
  openCard('conversation', { session });
  showPanel(session, 'changes');
}
