/**
 * Checks a plan against what it promises: a line that somebody else typed since the checkpoint and that stands in a
 * file now also stands in a file afterwards. Reverting turns path by path can't promise this alone: an agent may have
 * moved the user's lines into another file, which would be removed. Such a file stays as a conflict.
 */
import { type CarryRow, stays } from './plan.ts';
import { isSameVersion, LINK, type Span, type Version } from './versions.ts';

export interface ForeignLinesInput {
  readonly rows: readonly CarryRow[];
  /** The turns to revert. */
  readonly spans: readonly Span[];
  /** Changes by others: between those turns, and since the last one. */
  readonly gaps: readonly Span[];
  readonly read: (blobs: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Shorter lines, such as a brace, are in many files. */
const MIN_WORDS = /\w{3}|[^\0-\x7f]/;
const BATCH = 200;

export async function keepForeignLines({ rows, spans, gaps, read }: ForeignLinesInput): Promise<CarryRow[]> {
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
  if (typed.size === 0) return [...rows];
  const watched = await typedLines(rows, typed, read);
  return settle(rows, watched);
}

interface Lines {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The typed lines that each changing row has before and after. */
async function typedLines(
  rows: readonly CarryRow[],
  typed: ReadonlySet<string>,
  read: ForeignLinesInput['read'],
): Promise<Map<string, Lines>> {
  const found = new Map<string, Lines>();
  const changing = rows.filter(({ before, after }) => !isSameVersion(before, after));
  await eachBatch(changing, async (batch) => {
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
  const files = versions.filter((one): one is Version => one !== undefined && one.mode !== LINK);
  const contents = await read([...new Set(files.map(({ blob }) => blob))]);
  return (version: Version | undefined): ReadonlySet<string> => {
    const bytes = version && version.mode !== LINK ? contents.get(version.blob) : undefined;
    return new Set(bytes ? Buffer.from(bytes).toString('latin1').split('\n') : []);
  };
}

async function eachBatch<T>(items: readonly T[], run: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await run(items.slice(at, at + BATCH));
}
