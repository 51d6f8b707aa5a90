import type { Entry } from '../conversation/entries.ts';
import { type Long, writeEntry } from './written-entry.ts';

/** An entry for a terminal: its heading, its body indented. */
export function plainEntry(entry: Entry, long: Long): string {
  const { heading, body } = writeEntry(entry, long);
  const indented = body
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`));
  return [`${heading}:`, ...indented].join('\n');
}
