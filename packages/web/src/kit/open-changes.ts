/** Opens the changes of a session. */
import { cell } from './cell.ts';
import { openCard } from './layout/open-card.ts';

export interface WantedChanges {
  readonly session: string;
  /** Changes since this turn; the review takes this from here. */
  readonly turn: string;
}

export const wantedChanges = cell<WantedChanges | undefined>(undefined);

export function openChanges(project: string, session: string, turn?: string): void {
  if (turn !== undefined) wantedChanges.set({ session, turn });
  openCard('review', { project, session });
}
