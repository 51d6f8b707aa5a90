/**
 * The rows of the list: one per entry, but runs of reading tools are one (C4). Pure. Rows are keyed by
 * their first entry.
 */
import type { Entry, ToolState } from '@tugdeck/protocol/conversation/entries';
import { type EntryStore, entriesFrom } from '@tugdeck/protocol/conversation/entry-store';

export interface Row {
  readonly id: string;
  /** More than one: a folded group. */
  readonly ids: readonly string[];
}

// Also while they run: joining only when done would make rows vanish under the reader's eyes.
const FOLDED: ReadonlySet<ToolState> = new Set<ToolState>(['preparing', 'running', 'done']);

/** Whether an entry may join a run: only what reads, and nothing that must be seen. */
export function isFoldable(entry: Entry | undefined): boolean {
  if (entry?.kind !== 'tool') return false;
  if (entry.toolKind !== 'read' && entry.toolKind !== 'search') return false;
  return FOLDED.has(entry.state);
}

export function makeRows(
  order: readonly string[],
  lookup: (id: string) => Entry | undefined,
): readonly Row[] {
  const rows: Row[] = [];
  let run: string[] = [];
  const endRun = () => {
    const [first] = run;
    if (first !== undefined) rows.push({ id: first, ids: run });
    run = [];
  };
  let parent: string | undefined;
  for (const id of order) {
    const entry = lookup(id);
    if (isFoldable(entry)) {
      if (entry?.parent !== parent) endRun();
      parent = entry?.parent;
      run.push(id);
    } else {
      endRun();
      rows.push({ id, ids: [id] });
    }
  }
  endRun();
  return rows;
}

/** One pass over the window; `findEntry` for each would be quadratic. */
export function entryMap(entries: EntryStore, from: number): ReadonlyMap<string, Entry> {
  const map = new Map<string, Entry>();
  for (const entry of entriesFrom(entries, from)) map.set(entry.id, entry);
  return map;
}

/** "Read 3 files · searched 2 times" */
export function groupTitle(entries: readonly Entry[]): string {
  const tools = entries.filter((entry) => entry.kind === 'tool');
  const reads = tools.filter(({ toolKind }) => toolKind === 'read').length;
  const searches = tools.length - reads;
  const parts: string[] = [];
  if (reads > 0) parts.push(`Read ${reads} ${reads === 1 ? 'file' : 'files'}`);
  if (searches > 0) {
    parts.push(
      `${parts.length > 0 ? 'searched' : 'Searched'} ${searches === 1 ? 'once' : `${searches} times`}`,
    );
  }
  return parts.join(' · ');
}
