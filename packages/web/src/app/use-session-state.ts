import { useNow } from '../ui/use-now.ts';
import { useSelected } from '../ui/use-readable.ts';
import { reviewed } from './reviewed.ts';
import { type SessionState, type StateRow, sessionState } from './session-state.ts';

/** The state of one session, with what this deck has reviewed (D14). */
export function useSessionState(row: (StateRow & { readonly id: string }) | undefined): SessionState {
  const now = useNow('half-minute');
  const upTo = useSelected(reviewed, (all) => (row ? all[row.id] : undefined));
  return sessionState(row, { now, reviewed: upTo });
}
