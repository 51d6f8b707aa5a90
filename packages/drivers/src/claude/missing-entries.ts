/**
 * Entries missing from the agent's own file (A42): never written, or off the current thread because another program
 * went back. Pure.
 */

import { listOf, textAt } from '../kit/fields.ts';
import { type DiskLine, threadOf } from './history-thread.ts';

/**
 * `entries`: ids of prompts and model texts (`message:index`), oldest first. Only those from the first entry in the
 * thread on are checked: earlier ones may be before these lines.
 */
export function missingFrom(
  lines: readonly DiskLine[],
  entries: readonly string[],
): ReadonlySet<string> | undefined {
  const { thread } = threadOf(lines, undefined);
  const known = new Set(thread.flatMap(namesOf));
  const first = entries.findIndex((entry) => known.has(nameOf(entry)));
  if (first < 0) return undefined;
  const own = new Set(lines.flatMap(ownNamesOf));
  const lacked = entries.slice(first).filter((entry) => {
    const name = nameOf(entry);
    if (known.has(name)) return false;
    // A prompt without its own line was merged into another one.
    return own.has(name) || !lines.some((line) => JSON.stringify(line).includes(name));
  });
  return new Set(lacked);
}

const nameOf = (entry: string): string => entry.replace(/:\d+$/, '');

function ownNamesOf(line: DiskLine): string[] {
  return [textAt(line, 'uuid'), textAt(line.message, 'id')].filter((name) => name !== undefined);
}

/** Its own ids, and those of prompts merged into it. */
function namesOf(line: DiskLine): string[] {
  return [...ownNamesOf(line), ...listOf(line.mergedSendUuids).map(String)];
}
