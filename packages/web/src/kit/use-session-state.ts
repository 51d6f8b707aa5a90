import { reviewed } from './reviewed.ts';
import { type SessionState, type StateRow, sessionState } from './session-state.ts';
import { useNow } from './use-now.ts';
import { useSelected } from './use-readable.ts';

/** The state of one session, with what this deck has reviewed (D14). */
export function useSessionState(row: (StateRow & { readonly id: string }) | undefined): SessionState {
  const now = useNow('half-minute');
  const upTo = useSelected(reviewed, (all) => (row ? all[row.id] : undefined));
  return sessionState(row, { now, reviewed: upTo });
}
