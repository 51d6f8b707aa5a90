/** The column of Home that the top bar leads to; Home moves the focus there. */
import { cell } from './cell.ts';
import { showHome } from './route.ts';
import type { SessionState } from './session-state.ts';

export const wantedColumn = cell<SessionState | undefined>(undefined);

export function showColumn(state: SessionState): void {
  wantedColumn.set(state);
  showHome();
}
