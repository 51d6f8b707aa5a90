/**
 * Lists the entries that a change modifies but does not create or contain. The writer first copies those of older
 * segments into the current one. Unknown kinds modify none.
 */
import type { Change } from '@tugdeck/protocol/conversation/changes';

export function affectedEntries(change: Change): readonly string[] {
  switch (change.kind) {
    case 'prompt.progressed':
    case 'turn.joined':
      return [change.prompt];
    case 'turn.started':
      return change.prompts;
    case 'entry.patched':
    case 'entry.closed':
    case 'request.settled':
      return [change.entry];
    default:
      return [];
  }
}
