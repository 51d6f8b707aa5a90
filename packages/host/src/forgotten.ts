/**
 * What the agent goes on without is marked in our history (A42), and no longer where it has it again. Ours stays.
 * Pure: the host asks when a session is gone on with.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, TextEntry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

export function markForgotten(
  state: Conversation,
  lacks: (entries: readonly string[]) => ReadonlySet<string> | undefined,
): ChangeBody[] {
  const all = [...entriesFrom(state.entries)];
  // What lies above such a line the agent knows nothing of, and the line says so.
  const from = all.findLastIndex((entry) => entry.kind === 'notice' && entry.notice === 'fresh') + 1;
  const said = all.slice(from).filter(isSaid);
  const lacked = said.length === 0 ? undefined : lacks(said.map(({ id }) => id));
  if (!lacked) return [];
  return said.flatMap(({ id, forgotten = false }): ChangeBody[] =>
    lacked.has(id) === forgotten
      ? []
      : [{ kind: 'entry.patched', entry: id, patch: { forgotten: lacked.has(id) } }],
  );
}

/** Words of the conversation itself. A command of the agent's own may leave no line of its own. */
function isSaid(entry: Entry): entry is UserEntry | TextEntry {
  if (entry.parent !== undefined || entry.status === 'partial') return false;
  if (entry.kind === 'user') return entry.delivery === 'delivered' && !entry.text.startsWith('/');
  return entry.kind === 'text' && entry.text !== '';
}
