import type { Usage } from '@tugdeck/protocol/conversation/session-info';

/** How full the context is; undefined if the agent doesn't report it. */
export function contextPercent({ contextUsed, contextWindow }: Usage): number | undefined {
  if (contextUsed === undefined || !contextWindow) return undefined;
  return Math.min(100, Math.round((contextUsed / contextWindow) * 100));
}
