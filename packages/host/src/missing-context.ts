/**
 * Marks entries that are missing from the agent's own transcript, and unmarks those that are back in it (A42). Pure;
 * the host calls it when a session is resumed.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry, TextEntry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { isAside } from '@tugdeck/protocol/conversation/restore-state';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

export function markMissing(
  state: Conversation,
  missingFrom: (entries: readonly string[]) => ReadonlySet<string> | undefined,
): ChangeBody[] {
  const all = [...entriesFrom(state.entries)];
  // Entries above such a notice are unknown to the agent; the notice says so.
  const from = all.findLastIndex((entry) => entry.kind === 'notice' && entry.notice === 'fresh') + 1;
  const messages = all
    .slice(from)
    .filter((entry): entry is Message => isMessage(entry) && !isAside(state, entry.seq));
  const missing = messages.length === 0 ? undefined : missingFrom(messages.map(({ id }) => id));
  if (!missing) return [];
  return messages.flatMap(({ id, forgotten = false }): ChangeBody[] =>
    missing.has(id) === forgotten
      ? []
      : [{ kind: 'entry.patched', entry: id, patch: { forgotten: missing.has(id) } }],
  );
}

type Message = UserEntry | TextEntry;

/** Messages of the conversation itself. Slash commands may not have a line in the agent's file. */
function isMessage(entry: Entry): entry is Message {
  if (entry.parent !== undefined || entry.status === 'partial') return false;
  if (entry.kind === 'user') return entry.delivery === 'delivered' && !entry.text.startsWith('/');
  return entry.kind === 'text' && entry.text !== '';
}
