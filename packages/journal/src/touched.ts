/**
 * Which entries a change alters that it does not itself create or state. The writer asks, to put those of
 * older segments into the current one first. Kinds it does not know alter none.
 */
import type { Change } from '@tugdeck/protocol/conversation/changes';

export function touchedEntries(change: Change): readonly string[] {
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
