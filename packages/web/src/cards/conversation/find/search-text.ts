/** The searchable text of an entry, taken from the model, so it includes what is not rendered. Pure. */
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entryText, headAndTail } from '@tugdeck/protocol/export/entry-text';

/** All searchable text; headings only if they are not our own words. */
export function searchText(entry: Entry): string {
  const { heading, body } = entryText(entry, headAndTail);
  return entry.kind === 'tool' || entry.kind === 'command' ? `${heading}\n${body}` : body;
}
