/**
 * Changes that settle whatever an agent left open: after a cancel, a crash, an end (H6, H8). Pure; the
 * host and the drivers use it, so that nothing stays open by being forgotten in one of them.
 */
import { APPEND_FIELDS, type ChangeBody } from './changes.ts';
import { type EntryPatch, isRequest, type ToolState } from './entries.ts';
import { fieldText } from './fold.ts';
import { type Conversation, entryById, openEntries } from './state.ts';

export type SettleReason = 'cancel' | 'crash';

/** Everything open except prompts on their way. `only` limits it, e.g. to one turn's entries. */
export function settleOpen(
  state: Conversation,
  reason: SettleReason,
  only: (id: string) => boolean = () => true,
): ChangeBody[] {
  const changes: ChangeBody[] = [];
  const toolState: ToolState = reason === 'cancel' ? 'interrupted' : 'stale';
  const status = reason === 'cancel' ? 'cancelled' : 'stale';
  for (const entry of openEntries(state)) {
    if (!only(entry.id) || entry.kind === 'user') continue;
    if (isRequest(entry)) {
      changes.push({
        kind: 'request.settled',
        entry: entry.id,
        status: reason === 'cancel' ? 'withdrawn' : 'stale',
      });
    } else {
      const patch = entry.kind === 'tool' ? { state: toolState } : {};
      changes.push(withWholeText(state, { kind: 'entry.closed', entry: entry.id, status, patch }));
    }
  }
  return changes;
}

/**
 * A closing change states every streamed text in full: a client that missed live appends gets the missing
 * part from it (M2). What the change states itself stays; other changes come back as they are.
 */
export function withWholeText(state: Conversation, change: ChangeBody): ChangeBody {
  if (change.kind !== 'entry.closed') return change;
  const entry = entryById(state, change.entry);
  if (!entry) return change;
  const whole: EntryPatch = {};
  for (const field of APPEND_FIELDS) {
    if (field in entry && change.patch?.[field] === undefined) whole[field] = fieldText(entry, field);
  }
  return { ...change, patch: { ...whole, ...change.patch } };
}
