/**
 * Changes that settle whatever an agent left open: after a cancel, a crash, an end (H6, H8). Pure; the
 * host and the drivers use it, so that nothing stays open by being forgotten in one of them.
 */
import type { ChangeBody } from './changes.ts';
import { isRequest, type ToolState } from './entries.ts';
import { type Conversation, openEntries } from './state.ts';

export type LeftBy = 'cancel' | 'crash';

/** Everything open except prompts on their way. `only` limits it, e.g. to one turn's entries. */
export function settleOpen(
  state: Conversation,
  leftBy: LeftBy,
  only: (id: string) => boolean = () => true,
): ChangeBody[] {
  const changes: ChangeBody[] = [];
  const toolState: ToolState = leftBy === 'cancel' ? 'interrupted' : 'stale';
  const status = leftBy === 'cancel' ? 'cancelled' : 'stale';
  for (const entry of openEntries(state)) {
    if (!only(entry.id) || entry.kind === 'user') continue;
    if (isRequest(entry)) {
      changes.push({
        kind: 'request.settled',
        entry: entry.id,
        status: leftBy === 'cancel' ? 'withdrawn' : 'stale',
      });
    } else if (entry.kind === 'tool') {
      changes.push({ kind: 'entry.closed', entry: entry.id, status, patch: { state: toolState } });
    } else {
      changes.push({
        kind: 'entry.closed',
        entry: entry.id,
        status,
        patch: 'text' in entry ? { text: entry.text } : {},
      });
    }
  }
  return changes;
}
