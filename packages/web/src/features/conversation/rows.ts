/**
 * The rows of the list: one per entry, except that consecutive read-only tools form a group (C4), a subagent's
 * steps are nested under its tool (C12), and a permission request is in the row of its tool (D20). Pure. Keyed by the
 * first entry.
 */
import { type Entry, isRequest, type ToolState } from '@tugdeck/protocol/conversation/entries';

export interface Row {
  readonly id: string;
  /** More than one id means a collapsed group. */
  readonly ids: readonly string[];
  /** The steps of a subagent. */
  readonly nested?: readonly Row[];
  /** Not an entry: the line of this restore. */
  readonly restore?: string;
  /** A hidden message that is shown on request. */
  readonly isAside?: true;
  /** The last permission request about this tool: replaces the tool while it is open, then is a fact of it. */
  readonly permission?: string;
}

type Lookup = (id: string) => Entry | undefined;

// Also while running: grouping only finished tools would make rows vanish while the user reads.
const FOLDED: ReadonlySet<ToolState> = new Set<ToolState>(['preparing', 'running', 'done']);

/** Whether an entry may join a group: read-only, and nothing that must be seen. */
function isFoldable(entry: Entry | undefined): boolean {
  if (entry?.kind !== 'tool') return false;
  if (entry.toolKind !== 'read' && entry.toolKind !== 'search') return false;
  return FOLDED.has(entry.state);
}

/** The rows of a conversation, with what is needed to put older ones before them. */
export interface MadeRows {
  readonly rows: readonly Row[];
  readonly order: readonly string[];
  /** Tools that loaded entries lie under or request permission for, and that are not loaded themselves. */
  readonly missing: ReadonlySet<string>;
}

export function makeRows(order: readonly string[], lookup: Lookup): MadeRows {
  const children = new Map<string, string[]>();
  const top: string[] = [];
  const missing = new Set<string>();
  const permissions = permissionsOf(order, lookup, missing);
  let loaded: ReadonlySet<string> | undefined;
  for (const id of order) {
    const entry = lookup(id);
    if (entry?.kind === 'permission' && permissions.get(entry.about ?? '') === id) continue;
    const parent = entry?.parent;
    if (parent === undefined || parent === id) {
      top.push(id);
      continue;
    }
    loaded ??= new Set(order);
    if (loaded.has(parent)) appendTo(children, parent, id);
    else {
      // A step whose tool is not loaded is a row until it is.
      top.push(id);
      missing.add(parent);
    }
  }
  return { rows: rowsOf(top, { children, permissions, lookup }), order, missing };
}

/** The last permission request of each loaded tool, if both are at the same level. */
function permissionsOf(
  order: readonly string[],
  lookup: Lookup,
  missing: Set<string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const id of order) {
    const entry = lookup(id);
    if (entry?.kind !== 'permission' || entry.about === undefined) continue;
    const tool = lookup(entry.about);
    if (tool?.kind === 'tool' && tool.parent === entry.parent) found.set(entry.about, id);
    else if (!tool) missing.add(entry.about);
  }
  return found;
}

/** The same as `makeRows`, but an older page put before `known` costs only its own entries. */
export function updateRows(known: MadeRows, order: readonly string[], lookup: Lookup): MadeRows {
  const count = order.length - known.order.length;
  const isPrepended = count > 0 && order[count] === known.order[0] && order.at(-1) === known.order.at(-1);
  if (!isPrepended) return makeRows(order, lookup);
  const page = makeRows(order.slice(0, count), lookup);
  // A tool in one part contains entries of the other.
  const isLinked =
    page.order.some((id) => known.missing.has(id)) || [...page.missing].some((id) => lookup(id));
  if (isLinked) return makeRows(order, lookup);
  const rows = page.rows.map(growing);
  let joined = 0;
  for (const row of known.rows) {
    joined += 1;
    if (joinRow(rows, growing(row), lookup)) break;
  }
  const missing = new Set([...page.missing, ...known.missing]);
  return { rows: [...rows, ...known.rows.slice(joined)], order, missing };
}

function appendTo(children: Map<string, string[]>, parent: string, id: string): void {
  const known = children.get(parent);
  if (known) known.push(id);
  else children.set(parent, [id]);
}

interface RowSource {
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** By tool. */
  readonly permissions: ReadonlyMap<string, string>;
  readonly lookup: Lookup;
}

function rowsOf(ids: readonly string[], source: RowSource): Row[] {
  const rows: GrowingRow[] = [];
  for (const id of ids) {
    const inside = source.children.get(id);
    const permission = source.permissions.get(id);
    const row = {
      id,
      ids: [id],
      ...(inside ? { nested: rowsOf(inside, source) } : {}),
      ...(permission === undefined ? {} : { permission }),
    };
    joinRow(rows, row, source.lookup);
  }
  return rows;
}

interface GrowingRow extends Row {
  readonly ids: string[];
}

function growing(row: Row): GrowingRow {
  return { ...row, ids: [...row.ids] };
}

/** Puts a row at the end. Returns whether it is shown, so that the rows after it can follow as they are. */
function joinRow(rows: GrowingRow[], row: GrowingRow, lookup: Lookup): boolean {
  const last = rows.at(-1);
  const before = last && lookup(last.ids.at(-1) ?? last.id);
  const entry = lookup(row.id);
  if (saysInterruptedAgain(before, entry)) return false;
  if (last && isRun(last, before) && isRun(row, entry) && before?.parent === entry?.parent) {
    for (const id of row.ids) last.ids.push(id);
    return true;
  }
  // A retry replaces the previous attempt.
  if (isRetry(before) && isRetry(entry)) rows.pop();
  rows.push(row);
  return true;
}

function isRun(row: Row, entry: Entry | undefined): boolean {
  return row.nested === undefined && row.permission === undefined && isFoldable(entry);
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
  return isIn(row, id) || (row.nested?.some((inner) => holdsEntry(inner, id)) ?? false);
}

function isIn({ ids, permission }: Row, id: string): boolean {
  return permission === id || ids.includes(id);
}

/** All rows that must be expanded to show the entry, outermost first. */
export function pathTo(rows: readonly Row[], id: string): readonly Row[] {
  const row = rows.find((candidate) => holdsEntry(candidate, id));
  if (!row) return [];
  return isIn(row, id) ? [row] : [row, ...pathTo(row.nested ?? [], id)];
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

/** Whether a row contains an open request, at any depth. Pure. */
export function needsUser(row: Row, lookup: (id: string) => Entry | undefined): boolean {
  const isWaiting = [...row.ids, row.permission ?? ''].some((id) => {
    const entry = lookup(id);
    return entry !== undefined && isRequest(entry) && entry.request.status === 'pending';
  });
  return isWaiting || (row.nested?.some((inner) => needsUser(inner, lookup)) ?? false);
}
