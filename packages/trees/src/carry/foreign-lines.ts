/**
 * Checks a plan for lost lines: a line that somebody else typed since the checkpoint, or that a file of the checkpoint
 * had and does not get back, must be in some file afterwards if it is in one now. Reverting turns path by path doesn't
 * ensure that: an agent may have moved the lines into another file, which would be removed. Such a file is left
 * unchanged, as a conflict.
 */
import { type CarryRow, stays } from './carry-row.ts';
import { isSameVersion, type Span, type Version } from './versions.ts';

export interface ForeignLinesInput {
  readonly rows: readonly CarryRow[];
  /** The turns to revert. */
  readonly spans: readonly Span[];
  /** Changes by others: one after each turn. */
  readonly gaps: readonly Span[];
  readonly now: ReadonlyMap<string, Version>;
  readonly read: (blobs: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Shorter lines, such as a brace, are in many files. */
const MIN_WORDS = /\w{3}|[^\0-\x7f]/;
/** The total size is limited when files are recorded. */
const BATCH = 1_000;

export async function keepForeignLines({
  rows,
  spans,
  gaps,
  now,
  read,
}: ForeignLinesInput): Promise<CarryRow[]> {
  const isOwn = (path: string) => spans.some((span) => span.has(path));
  const changes = gaps.flatMap((gap) => [...gap].filter(([path]) => isOwn(path)).map(([, change]) => change));
  const typed = new Set<string>();
  await eachBatch(changes, async (batch) => {
    const linesOf = await lineReader(
      read,
      batch.flatMap(({ start, end }) => [start, end]),
    );
    for (const { start, end } of batch) {
      const before = linesOf(start);
      for (const line of linesOf(end)) if (MIN_WORDS.test(line) && !before.has(line)) typed.add(line);
    }
  });
  const missing = new Set<string>();
  await eachBatch(notReturning({ rows, spans, now }), async (batch) => {
    const linesOf = await lineReader(
      read,
      batch.flatMap(({ start, end }) => [start, end]),
    );
    for (const { start, end } of batch) {
      const after = linesOf(end);
      for (const line of linesOf(start)) if (MIN_WORDS.test(line) && !after.has(line)) missing.add(line);
    }
  });
  const changing = rows.filter(({ before, after }) => !isSameVersion(before, after));
  // Usually every file keeps such lines itself, and nothing else has to be read.
  if (!(await losesAny(changing, new Set([...typed, ...missing]), read))) return [...rows];
  // A line that was moved since the checkpoint was not typed since.
  await eachBatch(versionsThen(spans, gaps), async (batch) => {
    const linesOf = await lineReader(read, batch);
    for (const version of batch) for (const line of linesOf(version)) typed.delete(line);
  });
  for (const line of missing) typed.add(line);
  const isChanging = new Set(changing.map(({ path }) => path));
  // Files that stay as they are keep their lines too.
  const staying = [...new Set(spans.flatMap((span) => [...span.keys()]))]
    .filter((path) => !isChanging.has(path) && now.has(path))
    .map((path) => ({ path, before: now.get(path), after: now.get(path) }));
  const watched = await typedLines([...changing, ...staying], typed, read);
  return settle(rows, watched);
}

/** The versions of all changed files at the checkpoint: those before their first change. Gaps follow their span. */
function versionsThen(spans: readonly Span[], gaps: readonly Span[]): Version[] {
  const first = new Map<string, Version | undefined>();
  const ordered = spans.flatMap((span, at) => [span, gaps[at] ?? new Map<string, never>()]);
  for (const changes of ordered) {
    for (const [path, { start }] of changes) if (!first.has(path)) first.set(path, start);
  }
  return [...first.values()].filter((version) => version !== undefined);
}

/** Whether a file has one of the lines now and not afterwards. */
async function losesAny(
  rows: readonly Pick<CarryRow, 'before' | 'after'>[],
  wanted: ReadonlySet<string>,
  read: ForeignLinesInput['read'],
): Promise<boolean> {
  let isLost = false;
  await eachBatch(wanted.size === 0 ? [] : rows, async (batch) => {
    if (isLost) return;
    const linesOf = await lineReader(
      read,
      batch.map(({ before }) => before),
    );
    const found = batch.flatMap(({ before, after }) => {
      const lines = [...linesOf(before)].filter((line) => wanted.has(line));
      return lines.length > 0 ? [{ lines, after }] : [];
    });
    const linesAfter = await lineReader(
      read,
      found.map(({ after }) => after),
    );
    isLost = found.some(({ lines, after }) => lines.some((line) => !linesAfter(after).has(line)));
  });
  return isLost;
}

/** Files that don't become as before the turns: because they stay, or were merged. */
function notReturning({ rows, spans, now }: Pick<ForeignLinesInput, 'rows' | 'spans' | 'now'>) {
  const planned = new Map(rows.map((row) => [row.path, row]));
  const before = new Map<string, Version | undefined>();
  for (const span of spans) {
    for (const [path, { start }] of span) if (!before.has(path)) before.set(path, start);
  }
  return [...before].flatMap(([path, start]) => {
    const row = planned.get(path);
    const end = row ? row.after : now.get(path);
    return start && !isSameVersion(start, end) ? [{ start, end }] : [];
  });
}

interface Lines {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The typed lines that each changing row has before and after. */
async function typedLines(
  rows: readonly Pick<CarryRow, 'path' | 'before' | 'after'>[],
  typed: ReadonlySet<string>,
  read: ForeignLinesInput['read'],
): Promise<Map<string, Lines>> {
  const found = new Map<string, Lines>();
  await eachBatch(rows, async (batch) => {
    const linesOf = await lineReader(
      read,
      batch.flatMap(({ before, after }) => [before, after]),
    );
    for (const { path, before, after } of batch) {
      const of = (version: Version | undefined) => [...linesOf(version)].filter((line) => typed.has(line));
      const lines = { before: of(before), after: of(after) };
      if (lines.before.length + lines.after.length > 0) found.set(path, lines);
    }
  });
  return found;
}

function settle(rows: readonly CarryRow[], watched: ReadonlyMap<string, Lines>): CarryRow[] {
  const stay = new Set<string>();
  for (let isStable = false; !isStable; ) {
    isStable = true;
    const kept = new Set<string>();
    for (const [path, { before, after }] of watched) {
      for (const line of stay.has(path) ? before : after) kept.add(line);
    }
    for (const [path, { before }] of watched) {
      if (stay.has(path) || before.every((line) => kept.has(line))) continue;
      stay.add(path);
      isStable = false;
    }
  }
  return rows.map((row) => (stay.has(row.path) ? stays(row.path, 'conflict', row.before, row.target) : row));
}

async function lineReader(read: ForeignLinesInput['read'], versions: readonly (Version | undefined)[]) {
  // The target of a link counts as a line.
  const files = versions.filter((one) => one !== undefined);
  const contents = await read([...new Set(files.map(({ blob }) => blob))]);
  return (version: Version | undefined): ReadonlySet<string> => {
    const bytes = version && contents.get(version.blob);
    return new Set(bytes ? Buffer.from(bytes).toString('latin1').split('\n') : []);
  };
}

async function eachBatch<T>(items: readonly T[], run: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await run(items.slice(at, at + BATCH));
}
