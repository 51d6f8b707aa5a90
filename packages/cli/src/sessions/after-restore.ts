/** Says what the agent doesn't know at the next message because of a restore. The page attaches it instead. Pure. */
import type { Conversation } from '@tugdeck/protocol/conversation/state';

export function afterRestore({ memory, restores, turns }: Conversation, session: string): string[] {
  const notes: string[] = [];
  if (memory?.kind === 'told') {
    notes.push(
      `The agent starts a new session and doesn't know the earlier messages. To include them: tugdeck sessions export ${session}`,
    );
  }
  const last = restores.at(-1);
  const isSince = (last?.seq ?? 0) > (turns.at(-1)?.firstSeq ?? -1);
  if (last && isSince && last.parts.files && !last.parts.conversation) {
    notes.push(
      "Files were restored since the agent's last turn. It doesn't know which: name them in your message.",
    );
  }
  return notes;
}
