/**
 * What of our history the agent's own file does not have (A42): never written down, or off the thread that it goes on
 * with because somebody went back in another program. Pure: lines in, entries out.
 */
import { type DiskLine, threadOf } from './history-thread.ts';
import { listOf, textAt } from './wire.ts';

/**
 * `entries` are ids of prompts and of the model's texts (`message:index`), oldest first. Judged are only those from
 * the first that the thread has: what lies before it may lie before these lines.
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
    // A prompt without a line of its own was given to the model inside another one.
    return own.has(name) || !lines.some((line) => JSON.stringify(line).includes(name));
  });
  return new Set(lacked);
}

const nameOf = (entry: string): string => entry.replace(/:\d+$/, '');

function ownNamesOf(line: DiskLine): string[] {
  return [textAt(line, 'uuid'), textAt(line.message, 'id')].filter((name) => name !== undefined);
}

/** By its own names, and those of the prompts that were merged into it. */
function namesOf(line: DiskLine): string[] {
  return [...ownNamesOf(line), ...listOf(line.mergedSendUuids).map(String)];
}
