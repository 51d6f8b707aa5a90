import type { SessionState } from '../app/session-state.ts';

const LABELS: Readonly<Record<SessionState, string>> = {
  running: 'Working',
  waiting: 'Needs you',
  failed: 'Failed',
  rest: 'Idle',
  off: 'Not running',
};

/** A session's state as shape and color, with text for screen readers. */
export function StatusDot({ state }: { state: SessionState }) {
  return (
    <>
      <span className="dot" data-state={state} aria-hidden="true" />
      <span className="visually-hidden">{LABELS[state]}</span>
    </>
  );
}
