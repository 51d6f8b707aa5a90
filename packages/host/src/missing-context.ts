/**
 * What the agent goes on without is marked in our history (A42), and no longer where it has it again. Ours stays.
 * Pure: the host asks when a session is gone on with.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, TextEntry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

export function markMissing(
  state: Conversation,
  missingFrom: (entries: readonly string[]) => ReadonlySet<string> | undefined,
): ChangeBody[] {
  const all = [...entriesFrom(state.entries)];
  // What lies above such a line the agent knows nothing of, and the line says so.
  const from = all.findLastIndex((entry) => entry.kind === 'notice' && entry.notice === 'fresh') + 1;
  const messages = all.slice(from).filter(isMessage);
  const missing = messages.length === 0 ? undefined : missingFrom(messages.map(({ id }) => id));
  if (!missing) return [];
  return messages.flatMap(({ id, forgotten = false }): ChangeBody[] =>
    missing.has(id) === forgotten
      ? []
      : [{ kind: 'entry.patched', entry: id, patch: { forgotten: missing.has(id) } }],
  );
}

/** Words of the conversation itself. A command of the agent's own may leave no line of its own. */
function isMessage(entry: Entry): entry is UserEntry | TextEntry {
  if (entry.parent !== undefined || entry.status === 'partial') return false;
  if (entry.kind === 'user') return entry.delivery === 'delivered' && !entry.text.startsWith('/');
  return entry.kind === 'text' && entry.text !== '';
}
