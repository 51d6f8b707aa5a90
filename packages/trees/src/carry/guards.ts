/**
 * Guards on removal (T8): a file that a checkpoint does not have was not necessarily created after it. It may have been
 * ignored, too large or unreadable then, or in a nested repository. Such files stay unless the user decides otherwise.
 */
import { lstat, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Shadow } from '../shadow.ts';
import { readBlobs } from './blobs.ts';
import { type CarryRow, type KeptReason, stays } from './carry-row.ts';
import { bornAt } from './exact-files.ts';
import { type Version, versionsIn } from './versions.ts';

export interface Checkpoint {
  readonly tree: string;
  /** When it was recorded. */
  readonly at: number;
  /** Files that were too large to record, relative to the project. */
  readonly leftOut?: readonly { readonly path: string }[] | undefined;
  /** There were too many of them to list. */
  readonly leftMany?: boolean | undefined;
}

/** Clocks of file systems are a few milliseconds behind. */
const TOLERANCE_MS = 20;
const MAX_IGNORE = 1024 * 1024;

export async function guardRemovals(
  shadow: Shadow,
  rows: readonly CarryRow[],
  checkpoint: Checkpoint,
): Promise<CarryRow[]> {
  const removals = rows.filter(({ state }) => state === 'removed');
  if (removals.length === 0) return [...rows];
  const ignored = await ignoredThen(
    shadow,
    checkpoint.tree,
    removals.map(({ path }) => path),
  );
  const leftOut = new Set(checkpoint.leftOut?.map(({ path }) => path));
  // A renamed file is older than its new name; its content is restored under the old one.
  const restored = new Set(rows.filter(({ state }) => state === 'recreated').map(({ after }) => after?.blob));
  const reasons = new Map<string, KeptReason>();
  for (const { path, before } of removals) {
    if (ignored.has(path)) reasons.set(path, 'ignored');
    else if (checkpoint.leftMany || leftOut.has(path)) reasons.set(path, 'left-out');
    else if (!restored.has(before?.blob) && (await isOlder(join(shadow.project, path), checkpoint.at))) {
      reasons.set(path, 'older');
    }
  }
  return rows.map((row) => {
    const why = row.state === 'removed' ? reasons.get(row.path) : undefined;
    return why === undefined ? row : stays(row.path, 'guarded', row.before, row.target, why);
  });
}

async function isOlder(path: string, at: number): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts !== undefined && bornAt(facts) < at - TOLERANCE_MS;
}

export const isIgnoreFile = (path: string): boolean => /(^|\/)\.gitignore$/.test(path);

/** Which paths a tree's own ignore rules cover, evaluated in a folder that holds only these rules. */
export async function ignoredThen(
  shadow: Shadow,
  tree: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const scratch = await mkdtemp(join(shadow.directory, 'ignore-'));
  try {
    const rules = [...(await versionsIn(shadow, tree))].filter(([path]) => isIgnoreFile(path));
    await writeRules(shadow, scratch, rules);
    // `check-ignore` has no option for literal paths, and would read a leading colon as pathspec magic.
    const start = `./${shadow.prefix}`;
    const input = paths.map((path) => `${start}${path}\0`).join('');
    const text = await shadow.text(['check-ignore', '-z', '--no-index', '--stdin'], {
      worktree: scratch,
      input,
      environment: { GIT_LITERAL_PATHSPECS: undefined },
      answers: [1],
    });
    const found = text.split('\0').filter(Boolean);
    return new Set(found.map((path) => path.slice(start.length)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeRules(
  shadow: Shadow,
  scratch: string,
  rules: readonly (readonly [string, Version])[],
): Promise<void> {
  const contents = await readBlobs(
    shadow,
    rules.filter(([, { mode }]) => mode.startsWith('100')).map(([, { blob }]) => blob),
  );
  for (const [path, { blob }] of rules) {
    const text = contents.get(blob);
    if (!text || text.length > MAX_IGNORE) continue;
    const file = join(scratch, `${shadow.prefix}${path}`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
