/**
 * Carry on a real project: records the current files, plans, keeps what is replaced in the shadow repository, applies,
 * undoes, and settles what a crash left open. One caller at a time per worktree.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Lock, takeLock } from '@tugdeck/local/lock';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type BranchMove, keepCommits, moveBranch } from '../branch-move.ts';
import { treePatch } from '../compare-trees.ts';
import type { Shadow } from '../shadow.ts';
import { type ApplyResult, applyPlan, type CarriedRow, removeLeftovers } from './apply.ts';
import { blobBatches, readBlobs } from './blobs.ts';
import { carriedPaths, existingFiles, permissionsOf } from './carried-files.ts';
import { type CarryRow, stays } from './carry-row.ts';
import { type Checkpoint, guardRemovals } from './guards.ts';
import { mergeBlobs } from './merge-content.ts';
import { type Operation, type Outcome, writeOperation } from './operation.ts';
import type { TreePair } from './own-spans.ts';
import { spanOf } from './pair-span.ts';
import {
  type Choice,
  type PlanInput,
  planCarry,
  planHash,
  reversed,
  stateOf,
  withoutCollisions,
} from './plan.ts';
import { type SplitSpan, splitAtSaves } from './saves.ts';
import {
  EXECUTABLE,
  FILE,
  isSameVersion,
  LINK,
  type Span,
  spanBetween,
  type Version,
  versionsIn,
} from './versions.ts';

export interface CarryPlan {
  readonly rows: readonly CarryRow[];
  readonly hash: string;
  /** The tree of the current files. */
  readonly now: string;
  /** Folders older than this stay. */
  readonly since: number;
  readonly undoes?: string | undefined;
  /** Permissions of files that are created again. */
  readonly permissions?: ReadonlyMap<string, number> | undefined;
}

export interface RestoreInput {
  readonly shadow: Shadow;
  /** The tree of the current files, recorded this moment. */
  readonly now: string;
  readonly checkpoint: Checkpoint;
  /** The session's own changes since the checkpoint, oldest first. */
  readonly pairs: readonly TreePair[];
}

export async function planRestore({ shadow, now, checkpoint, pairs }: RestoreInput): Promise<CarryPlan> {
  const spans: Span[] = [];
  const gaps: Span[] = [];
  for (const [at, pair] of pairs.entries()) {
    const split = await splitPair(shadow, pair);
    spans.push(...split.spans);
    gaps.push(...split.gaps, await spanBetween(shadow, pair.end, pairs[at + 1]?.start ?? now));
  }
  const current = await versionsIn(shadow, now);
  const planned = await plannedRows(shadow, { spans, gaps, now: current });
  const guarded = withoutCollisions(await guardRemovals(shadow, planned, checkpoint), current);
  const rows = guarded.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { rows, hash: planHash(rows), now, since: checkpoint.at };
}

async function splitPair(shadow: Shadow, pair: TreePair): Promise<SplitSpan> {
  const span = await spanOf(shadow, pair);
  const { saves = [], start } = pair;
  const isWhole = saves.every(({ path }) => span.has(path));
  const versions = isWhole ? new Map<string, Version>() : await versionsIn(shadow, start);
  return splitAtSaves(span, saves, (path) => versions.get(path));
}

/**
 * Brings the difference between two trees into the current files. Without the guards of a restore: only files that
 * `from` has are removed, and only as they are there.
 */
export async function planDifference(
  shadow: Shadow,
  { from, to, now, at }: { from: string; to: string; now: string; at: number },
  only?: ReadonlySet<string>,
): Promise<CarryPlan> {
  const whole = await spanBetween(shadow, to, from);
  const span = only ? new Map([...whole].filter(([path]) => only.has(path))) : whole;
  const current = await versionsIn(shadow, now);
  const rows = await plannedRows(shadow, { spans: [span], gaps: [], now: current });
  return { rows, hash: planHash(rows), now, since: at };
}

/** The changes that a plan would make to these files, as a unified diff. A file that stays is compared with the checkpoint's version. */
export async function planPatch(
  shadow: Shadow,
  { rows, now }: CarryPlan,
  paths: readonly string[],
): Promise<string> {
  const wanted = new Set(paths);
  const chosen = rows.filter(({ path }) => wanted.size === 0 || wanted.has(path));
  const shown = chosen.map((row) =>
    isSameVersion(row.before, row.after) ? { ...row, after: row.target } : row,
  );
  const current = await versionsIn(shadow, now);
  const result = await resultTree(shadow, now, randomUUID(), withoutCollisions(shown, current));
  return treePatch(shadow, now, result);
}

/** Undoes a carry, finished or not; edits made since are kept by the same rules. */
export async function planUndo(shadow: Shadow, operation: Operation, now: string): Promise<CarryPlan> {
  const current = await versionsIn(shadow, now);
  const { rows: done } = operation;
  const since = new Map(done.map(({ path, after }) => [path, { start: after, end: current.get(path) }]));
  const rows = await plannedRows(shadow, { spans: [reversed(done)], gaps: [since], now: current });
  const permissions = new Map(
    done.flatMap(({ path, permissions: mode }) => (mode === undefined ? [] : [[path, mode]])),
  );
  return { rows, hash: planHash(rows), now, since: operation.at, undoes: operation.id, permissions };
}

async function plannedRows(
  shadow: Shadow,
  input: Pick<PlanInput, 'spans' | 'gaps' | 'now'>,
): Promise<CarryRow[]> {
  const rows = await planCarry({ ...input, ...portsOf(shadow) });
  const existing = await existingFiles(shadow.project, rows);
  return rows.flatMap((row) => {
    if (!existing.has(row.path)) return [row];
    const there = existing.get(row.path);
    // An existing file is neither written nor removed by undo.
    return isSameVersion(there, row.after)
      ? []
      : [stays(row.path, 'kept', undefined, row.target, 'occupied')];
  });
}

function portsOf(shadow: Shadow) {
  return {
    merge: (requests: Parameters<typeof mergeBlobs>[1]) => mergeBlobs(shadow, requests),
    read: (blobs: readonly string[]) => readAll(shadow, blobs),
  };
}

async function readAll(shadow: Shadow, blobs: readonly string[]): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for (const batch of await blobBatches(shadow, blobs)) {
    for (const [blob, bytes] of await readBlobs(shadow, batch)) all.set(blob, bytes);
  }
  return all;
}

export interface BeginInput {
  readonly shadow: Shadow;
  readonly plan: CarryPlan;
  /** The folder of the session's operations. */
  readonly directory: string;
  readonly session: string;
  readonly at: number;
  readonly choices?: Readonly<Record<string, Choice>> | undefined;
  readonly branch?: BranchMove | undefined;
  readonly id?: string | undefined;
}

/** Keeps everything that will be replaced, and writes the operation. No file is changed yet. */
export async function beginCarry(input: BeginInput): Promise<Operation> {
  const { shadow, plan, directory, session, at, choices = {}, branch, id = randomUUID() } = input;
  const current = await versionsIn(shadow, plan.now);
  const chosen = withoutCollisions(await withChoices(shadow, plan.rows, choices), current);
  const changing = chosen.filter(({ before, after }) => !isSameVersion(before, after));
  const removed = await permissionsOf(
    shadow.project,
    changing.filter(({ after }) => !after).map(({ path }) => path),
  );
  const rows: Operation['rows'] = [];
  for (const { path, before, after } of changing) {
    const mode = after ? plan.permissions?.get(path) : removed.get(path);
    rows.push({
      path,
      ...(before ? { before: fileVersion(before) } : {}),
      ...(after ? { after: fileVersion(after) } : {}),
      ...(mode === undefined ? {} : { permissions: mode }),
    });
  }
  const result = await resultTree(shadow, plan.now, id, changing);
  // Not `create`: it may have been stopped here before, and begin again under its id.
  const refs = [
    `update refs/restores/${session}/${id}/now\0${plan.now}\0\0`,
    `update refs/restores/${session}/${id}/result\0${result}\0\0`,
  ];
  await shadow.run(['update-ref', '-z', '--stdin'], { input: refs.join('') });
  if (branch) await keepCommits(shadow, branch);
  const operation: Operation = {
    id,
    at,
    since: plan.since,
    place: shadow.place,
    now: plan.now,
    result,
    rows,
    ...(branch ? { branch } : {}),
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
  };
  writeOperation(directory, operation);
  return operation;
}

function fileVersion({ mode, blob }: Version): NonNullable<Operation['rows'][number]['after']> {
  if (mode === FILE || mode === EXECUTABLE || mode === LINK) return { mode, blob };
  throw new Error(`not a file: ${mode}`);
}

/** Applies the user's choices to rows that stay (T12). Others keep the current file. */
async function withChoices(
  shadow: Shadow,
  rows: readonly CarryRow[],
  choices: Readonly<Record<string, Choice>>,
): Promise<CarryRow[]> {
  const result: CarryRow[] = [];
  for (const row of rows) {
    const choice = Object.hasOwn(choices, row.path) ? choices[row.path] : undefined;
    const { path, before, target, base } = row;
    if (choice === 'checkpoint' && (row.state === 'conflict' || row.state === 'guarded')) {
      result.push({ path, state: stateOf(before, target, false), before, after: target, target });
    } else if (choice === 'markers' && row.state === 'conflict' && before && target && base) {
      const isText = [before, target, base].every(({ mode }) => mode !== LINK);
      const request = { base, ours: before, theirs: target };
      const [blob] = isText ? await mergeBlobs(shadow, [request], true) : [];
      result.push(blob === undefined ? row : { ...row, state: 'merged', after: { mode: before.mode, blob } });
    } else result.push(row);
  }
  return result;
}

/** The tree that results if nothing else changes. It also keeps merged contents. */
async function resultTree(
  shadow: Shadow,
  now: string,
  id: string,
  rows: readonly CarriedRow[],
): Promise<string> {
  const index = shadow.index(`restore-${id}`);
  try {
    await shadow.run(['read-tree', now], { index });
    const removals = rows.filter(({ after }) => !after).map(({ path }) => `0 ${'0'.repeat(40)}\t${path}\0`);
    const additions = rows.flatMap(({ path, after }) =>
      after ? [`${after.mode} ${after.blob}\t${path}\0`] : [],
    );
    const input = [...removals, ...additions].join('');
    if (input !== '') await shadow.run(['update-index', '-z', '--replace', '--index-info'], { index, input });
    return (await shadow.text(['write-tree', '--missing-ok'], { index })).trim();
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

export interface RunInput {
  readonly shadow: Shadow;
  readonly operation: Operation;
  readonly directory: string;
  readonly now: () => number;
  readonly onStep?: ((path: string) => void) | undefined;
  readonly onReplace?: ((path: string) => void) | undefined;
  /** Called when all files are done, before the branch moves. */
  readonly onBranch?: (() => void) | undefined;
  /** Called when everything is done, before that is on disk. */
  readonly onApplied?: (() => void) | undefined;
}

export interface EndedOperation extends Operation {
  readonly ended: NonNullable<Operation['ended']>;
}

/**
 * Carries out an operation, or finishes one that was cut off; running it again changes nothing more. Throws if the disk
 * is full: then it stays open.
 */
export async function runCarry({
  shadow,
  operation,
  directory,
  now,
  onStep,
  onReplace,
  onBranch,
  onApplied,
}: RunInput): Promise<EndedOperation> {
  const { id, rows, since, branch } = operation;
  const result = await applyPlan({
    id,
    root: shadow.project,
    rows,
    since,
    batches: (blobs) => blobBatches(shadow, blobs),
    read: (blobs) => readBlobs(shadow, blobs),
    onStep,
    onReplace,
  });
  if (branch) onBranch?.();
  const moved = branch && (await moveBranch(shadow, branch));
  onApplied?.();
  const done = operation.undoes === undefined ? 'done' : 'undone';
  const outcome = result.left.length > 0 || moved === false ? 'partial' : done;
  return endCarry(directory, operation, { outcome, at: now(), ...result, moved });
}

/** Leaves an unfinished operation as it is. */
export async function leaveCarry({ shadow, operation, directory, now }: RunInput): Promise<EndedOperation> {
  const { id, rows } = operation;
  await removeLeftovers({ id, root: shadow.project, rows });
  const carried = await carriedPaths(shadow.project, rows);
  return endCarry(directory, operation, { outcome: 'abandoned', at: now(), carried });
}

/** The tree that an operation led to, which may have been left unfinished or could not change all files. */
export async function reachedTree(shadow: Shadow, operation: Operation): Promise<string> {
  const { id, now, result, rows, ended } = operation;
  if (ended?.outcome === 'done' || ended?.outcome === 'undone') return result;
  const left = new Set(ended?.left.map(({ path }) => path));
  const carried = ended?.outcome === 'partial' ? undefined : new Set(ended?.carried);
  const reached = rows.filter(({ path }) => carried?.has(path) ?? !left.has(path));
  return resultTree(shadow, now, id, reached);
}

interface End extends Partial<ApplyResult> {
  readonly outcome: Outcome;
  readonly at: number;
  readonly carried?: string[];
  readonly moved?: boolean | undefined;
}

function endCarry(
  directory: string,
  operation: Operation,
  { outcome, at, written = 0, removed = 0, left = [], carried, moved }: End,
): EndedOperation {
  const ended = {
    outcome,
    at,
    written,
    removed,
    left: left.map((one) => ({ ...one })),
    ...(carried ? { carried } : {}),
    ...(moved === undefined ? {} : { moved }),
  };
  const whole = { ...operation, ended };
  writeOperation(directory, whole);
  return whole;
}

const LOCK_POLL_MS = 25;

/** Runs `work` while nobody else carries files in the same worktree (T20). */
export async function withWorktreeLock<T>(
  shadow: Shadow,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + waitMs;
  let lock: Lock | undefined;
  while (!lock) {
    try {
      lock = takeLock(shadow.placeLock);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'SESSION_LOCKED' || performance.now() > until)
        throw error;
      await wait(LOCK_POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
