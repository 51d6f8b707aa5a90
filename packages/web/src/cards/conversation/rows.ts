/**
 * The rows of the list: one per entry, except that consecutive read-only tools form a group (C4) and a subagent's
 * steps are nested under its tool (C12). Pure. Keyed by the first entry.
 */
import type { Entry, ToolState } from '@tugdeck/protocol/conversation/entries';
import { type EntryStore, entriesFrom } from '@tugdeck/protocol/conversation/entry-store';

export interface Row {
  readonly id: string;
  /** More than one id means a collapsed group. */
  readonly ids: readonly string[];
  /** The steps of a subagent. */
  readonly nested?: readonly Row[];
}

type Lookup = (id: string) => Entry | undefined;

// Also while running: grouping only finished tools would make rows vanish while the user reads.
const FOLDED: ReadonlySet<ToolState> = new Set<ToolState>(['preparing', 'running', 'done']);

/** Whether an entry may join a group: read-only, and nothing that must be seen. */
export function isFoldable(entry: Entry | undefined): boolean {
  if (entry?.kind !== 'tool') return false;
  if (entry.toolKind !== 'read' && entry.toolKind !== 'search') return false;
  return FOLDED.has(entry.state);
}

export function makeRows(order: readonly string[], lookup: Lookup): readonly Row[] {
  const children = new Map<string, string[]>();
  const top: string[] = [];
  const here = new Set(order);
  for (const id of order) {
    const parent = lookup(id)?.parent;
    // A step whose tool is not loaded is a row until it is.
    if (parent === undefined || parent === id || !here.has(parent)) top.push(id);
    else appendTo(children, parent, id);
  }
  return rowsOf(top, children, lookup);
}

function appendTo(children: Map<string, string[]>, parent: string, id: string): void {
  const known = children.get(parent);
  if (known) known.push(id);
  else children.set(parent, [id]);
}

function rowsOf(
  ids: readonly string[],
  children: ReadonlyMap<string, readonly string[]>,
  lookup: Lookup,
): Row[] {
  const rows: Row[] = [];
  let run: string[] = [];
  const endRun = () => {
    const [first] = run;
    if (first !== undefined) rows.push({ id: first, ids: run });
    run = [];
  };
  let parent: string | undefined;
  let before: Entry | undefined;
  for (const id of ids) {
    const entry = lookup(id);
    if (saysInterruptedAgain(before, entry)) continue;
    // A retry replaces the previous attempt.
    if (isRetry(entry) && isRetry(before)) rows.pop();
    before = entry;
    const inside = children.get(id);
    if (isFoldable(entry) && !inside) {
      if (entry?.parent !== parent) endRun();
      parent = entry?.parent;
      run.push(id);
    } else {
      endRun();
      rows.push({ id, ids: [id], ...(inside ? { nested: rowsOf(inside, children, lookup) } : {}) });
    }
  }
  endRun();
  return rows;
}

function isRetry(entry: Entry | undefined): boolean {
  return entry?.kind === 'notice' && entry.notice === 'retry';
}

/** An interrupted answer has its own label (C10); the separate line is for other entries. */
function saysInterruptedAgain(before: Entry | undefined, entry: Entry | undefined): boolean {
  if (entry?.kind !== 'notice' || entry.notice !== 'interrupted' || entry.detail !== undefined) return false;
  return before?.status === 'cancelled' && (before.kind === 'text' || before.kind === 'thinking');
}

/** Whether the row contains this entry, at any depth. */
export function holdsEntry(row: Row, id: string): boolean {
  return row.ids.includes(id) || (row.nested?.some((inner) => holdsEntry(inner, id)) ?? false);
}

/** All rows that must be expanded to show the entry, outermost first. */
export function pathTo(rows: readonly Row[], id: string): readonly Row[] {
  const row = rows.find((candidate) => holdsEntry(candidate, id));
  if (!row) return [];
  return row.ids.includes(id) ? [row] : [row, ...pathTo(row.nested ?? [], id)];
}

/** One pass over the window; `findEntry` per entry would be quadratic. */
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
