import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { exactTime } from '../kit/format.ts';
import { type SessionState, stateSince, stateTime } from '../kit/session-state.ts';
import { useNow } from '../kit/use-now.ts';

export interface StateTimeProps {
  row: SessionRow;
  state: SessionState;
  className: string;
}

/** How long a session has been in its state. Its own component, so that a clock renders nothing else. */
export function StateTime({ row, state, className }: StateTimeProps) {
  const now = useNow(state === 'needs' || state === 'working' ? 'second' : 'half-minute');
  return (
    <time className={className} title={exactTime(stateSince(row, state))}>
      {stateTime(row, state, now)}
    </time>
  );
}
