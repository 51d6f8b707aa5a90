interface PlaceholderState {
  readonly isOffline: boolean;
  readonly needsUser: boolean;
  readonly isRunning: boolean;
  /** The agent's name. */
  readonly agent: string | undefined;
}

/** The text of the empty message box: the effect of a message now (D42). */
export function placeholder({ isOffline, needsUser, isRunning, agent }: PlaceholderState): string {
  if (isOffline) return 'Write a message. It’s sent when the connection is back…';
  if (needsUser) return 'Answer above, or queue a message…';
  return isRunning ? 'Queue a message…' : `Ask ${agent ?? 'the agent'} to do something…`;
}
