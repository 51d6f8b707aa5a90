import type { Entry } from '../conversation/entries.ts';
import { entryText, type ResolveText } from './entry-text.ts';

/** An entry for a terminal: its heading, its body indented. */
export function plainEntry(entry: Entry, long: ResolveText): string {
  const { heading, body } = entryText(entry, long);
  const indented = body
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`));
  return [`${heading}:`, ...indented].join('\n');
}
