/**
 * Plans a carry: brings the difference between recorded trees into the current files, three-way, path by path. To
 * restore a checkpoint, the turns since are reverted newest first; what anybody else changed is merged or kept.
 * Pure: contents are merged by a port. No rename detection, whose result would differ between git versions.
 */
import { createHash } from 'node:crypto';
import { isGitOwn, pathFault } from '@tugdeck/protocol/files/paths';
import { type CarryRow, type CarryState, type KeptReason, stays } from './carry-row.ts';
import { keepForeignLines } from './foreign-lines.ts';
import { isFileMode, isSameVersion, LINK, type Span, type Version, type VersionChange } from './versions.ts';

export interface MergeRequest {
  readonly base: Version;
  readonly ours: Version;
  readonly theirs: Version;
}

export interface PlanInput {
  /** The turns to revert, oldest first. Each has the files that it changed. */
  readonly spans: readonly Span[];
  readonly now: ReadonlyMap<string, Version>;
  /** Changes by others: between those turns, and since the last one. */
  readonly gaps: readonly Span[];
  readonly read: (blobs: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** Merges the contents of regular files; undefined for a conflict. */
  readonly merge: (requests: readonly MergeRequest[]) => Promise<readonly (string | undefined)[]>;
}

interface Walk {
  readonly path: string;
  /** Newest first. */
  readonly changes: readonly VersionChange[];
  next: number;
  current: Version | undefined;
  isMerged: boolean;
  outcome: 'pending' | 'done' | 'conflict';
}

/** Rows sorted by path; files that already are as wanted have none. */
export async function planCarry({ spans, gaps, now, merge, read }: PlanInput): Promise<CarryRow[]> {
  const walks = collect(spans, now);
  const rows: CarryRow[] = [];
  const active: Walk[] = [];
  for (const walk of walks) {
    const why = reasonToKeep(walk, now.get(walk.path));
    if (why === undefined) active.push(walk);
    else if (!isSameVersion(now.get(walk.path), targetOf(walk))) {
      rows.push(stays(walk.path, 'kept', now.get(walk.path), targetOf(walk), why));
    }
  }
  await advanceAll(active, merge);
  for (const walk of active) {
    const row = rowOf(walk, now.get(walk.path));
    if (row) rows.push(row);
  }
  let checked = withoutCollisions(rows, now);
  if (gaps.length > 0) {
    // Files that stay because of their lines can be in the way of others, and the reverse.
    for (let before = -1; before !== staying(checked); ) {
      before = staying(checked);
      checked = withoutCollisions(await keepForeignLines({ rows: checked, spans, gaps, now, read }), now);
    }
  }
  return checked.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function staying(rows: readonly CarryRow[]): number {
  return rows.filter(({ before, after }) => isSameVersion(before, after)).length;
}

function collect(spans: readonly Span[], now: ReadonlyMap<string, Version>): Walk[] {
  const changes = new Map<string, VersionChange[]>();
  for (const span of spans) {
    for (const [path, change] of span) {
      if (isSameVersion(change.start, change.end)) continue;
      const known = changes.get(path);
      if (known) known.unshift(change);
      else changes.set(path, [change]);
    }
  }
  return [...changes].map(([path, list]) => ({
    path,
    changes: list,
    next: 0,
    current: now.get(path),
    isMerged: false,
    outcome: 'pending',
  }));
}

function targetOf(walk: Walk): Version | undefined {
  return walk.changes.at(-1)?.start;
}

function reasonToKeep({ path, changes }: Walk, now: Version | undefined): KeptReason | undefined {
  // Trees of a hostile repository can have any name.
  if (path === '' || pathFault(path) !== undefined || isGitOwn(path)) return 'name';
  const versions = [now, ...changes.flatMap(({ start, end }) => [start, end])];
  return versions.every((version) => version === undefined || isFileMode(version.mode))
    ? undefined
    : 'submodule';
}

/** Each round merges one span of every path that needs it, so that few processes are started. */
async function advanceAll(walks: readonly Walk[], merge: PlanInput['merge']): Promise<void> {
  for (let waiting = walks; waiting.length > 0; ) {
    const requested: { walk: Walk; request: MergeRequest; mode: string }[] = [];
    for (const walk of waiting) {
      const need = advance(walk);
      if (need) requested.push({ walk, ...need });
    }
    const merged = await merge(requested.map(({ request }) => request));
    requested.forEach(({ walk, mode }, index) => {
      const blob = merged[index];
      if (blob === undefined) walk.outcome = 'conflict';
      else step(walk, { mode, blob }, true);
    });
    waiting = requested.map(({ walk }) => walk).filter(({ outcome }) => outcome === 'pending');
  }
}

/** Reverts spans until the path is done, in conflict, or needs a merge of contents. */
function advance(walk: Walk): { request: MergeRequest; mode: string } | undefined {
  while (walk.outcome === 'pending') {
    const change = walk.changes[walk.next];
    if (!change) {
      walk.outcome = 'done';
      return undefined;
    }
    const { start, end, unseen } = change;
    const { current } = walk;
    if (unseen && !isSameVersion(current, start)) walk.outcome = 'conflict';
    else if (isSameVersion(current, end)) step(walk, start, false);
    else if (isSameVersion(current, start)) step(walk, start, false);
    else {
      const mode = start && end && current ? mergedMode(end.mode, current.mode, start.mode) : undefined;
      if (!start || !end || !current || mode === undefined) walk.outcome = 'conflict';
      else if (current.blob === end.blob) step(walk, { mode, blob: start.blob }, true);
      else if (start.blob === end.blob || current.blob === start.blob) {
        step(walk, { mode, blob: current.blob }, true);
      } else if ([start, end, current].some((one) => one.mode === LINK)) walk.outcome = 'conflict';
      else return { request: { base: end, ours: current, theirs: start }, mode };
    }
  }
  return undefined;
}

function step(walk: Walk, to: Version | undefined, isMerged: boolean): void {
  walk.current = to;
  walk.isMerged ||= isMerged;
  walk.next += 1;
}

function mergedMode(base: string, ours: string, theirs: string): string | undefined {
  if (ours === base) return isMixed(ours, theirs) ? undefined : theirs;
  if (theirs === base || ours === theirs) return isMixed(ours, theirs) ? undefined : ours;
  return undefined;
}

/** A link and a file: one can't get the content of the other. */
function isMixed(one: string, other: string): boolean {
  return (one === LINK) !== (other === LINK);
}

function rowOf(walk: Walk, before: Version | undefined): CarryRow | undefined {
  const { path, current: after } = walk;
  const target = targetOf(walk);
  if (walk.outcome === 'conflict') {
    const why = walk.changes[walk.next]?.unseen;
    if (why && !target) return stays(path, 'guarded', before, target, why);
    return { ...stays(path, 'conflict', before, target, why), base: walk.changes[0]?.end };
  }
  if (isSameVersion(before, after)) return undefined;
  return { path, state: stateOf(before, after, walk.isMerged), before, after, target };
}

export function stateOf(
  before: Version | undefined,
  after: Version | undefined,
  isMerged: boolean,
): CarryState {
  if (!after) return 'removed';
  if (!before) return 'recreated';
  return isMerged ? 'merged' : 'restored';
}

/** A file and a folder can't have one name: such rows become conflicts, until the result is a possible tree. */
export function withoutCollisions(rows: readonly CarryRow[], now: ReadonlyMap<string, Version>): CarryRow[] {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const created = () => [...byPath.values()].filter(({ before, after }) => !before && after);
  for (let isStable = false; !isStable; ) {
    isStable = true;
    const files = new Set(now.keys());
    for (const { path, after } of byPath.values()) {
      if (after) files.add(path);
      else files.delete(path);
    }
    const folders = new Set<string>();
    for (const path of files) for (const folder of foldersOf(path)) folders.add(folder);
    for (const row of created()) {
      if (!folders.has(row.path) && !foldersOf(row.path).some((folder) => files.has(folder))) continue;
      byPath.set(row.path, stays(row.path, 'conflict', row.before, row.target, 'occupied'));
      isStable = false;
    }
  }
  return [...byPath.values()];
}

export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Identifies a plan: what was shown is what is done (T13). */
export function planHash(rows: readonly CarryRow[]): string {
  const hash = createHash('sha256');
  for (const { path, state, before, after, target, why } of rows) {
    const versions = [before, after, target].map((one) => (one ? `${one.mode} ${one.blob}` : ''));
    hash.update(`${JSON.stringify([path, state, ...versions, why ?? ''])}\n`);
  }
  return hash.digest('hex');
}

/** How to resolve a row that stays: the current file, the checkpoint's version, or a text with conflict markers. */
export type Choice = 'mine' | 'checkpoint' | 'markers';

/** Changes that undo the carried rows: the same carry with both sides exchanged. */
export function reversed(rows: readonly Pick<CarryRow, 'path' | 'before' | 'after'>[]): Span {
  return new Map(rows.map(({ path, before, after }) => [path, { start: before, end: after }]));
}
