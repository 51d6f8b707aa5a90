/**
 * Changes that settle everything an agent left open: after a cancel, a crash or an exit (H6, H8). Pure; shared by
 * host and drivers, so that neither forgets an entry.
 */
import { APPEND_FIELDS, type ChangeBody } from './changes.ts';
import { type EntryPatch, isRequest, type ToolState } from './entries.ts';
import { fieldText } from './fold.ts';
import { type Conversation, entryById, openEntries } from './state.ts';

export type SettleReason = 'cancel' | 'crash';

/** Settles all open entries except prompts. `only` limits it, for example to one turn. */
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
 * Adds the full streamed text to a closing change: a client that missed live appends gets the rest from it (M2).
 * Texts that the change already states stay; other changes are returned unchanged.
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
