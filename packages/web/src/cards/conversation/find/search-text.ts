/** The words of an entry as a reader searches them: from the model, so also of what is not drawn. Pure. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { endsOf, writeEntry } from '@tugdeck/protocol/written/written-entry';

/** Everything that can be found in an entry; its heading only where that is not a word of ours. */
export function searchText(entry: Entry): string {
  const { heading, body } = writeEntry(entry, endsOf);
  return entry.kind === 'tool' || entry.kind === 'command' ? `${heading}\n${body}` : body;
}
