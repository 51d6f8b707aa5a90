/**
 * Carries work between worktrees of one repository (B46, B73): the difference between a commit and the files of one
 * worktree is brought into the files of another, three-way and uncommitted. Their trees share a shadow repository.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import {
  beginCarry,
  type CarryPlan,
  type EndedOperation,
  leaveCarry,
  planDifference,
  runCarry,
  withWorktreeLock,
} from '@tugdeck/trees/carry/carry';
import { listOperations, readOperation } from '@tugdeck/trees/carry/operation';
import { recordTree } from '@tugdeck/trees/record-tree';
import type { Shadow } from '@tugdeck/trees/shadow';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { Repository } from '../git/repository.ts';

export interface CarryWork {
  /** The folder of shadow repositories. */
  readonly home: string;
  /** Directories of sessions: a project, or its folder in a worktree. */
  readonly from: string;
  readonly to: string;
  /** The commit that both have in common. */
  readonly base: string;
  readonly at: number;
}

export interface PlannedWork {
  readonly shadow: Shadow;
  readonly plan: CarryPlan;
  /** The files of the source, as a tree. */
  readonly tree: string;
  /** Files that are too large to be carried. */
  readonly leftOut: readonly string[];
}

const LOCK_MS = 5_000;

export async function planWork(
  { home, from, to, base, at }: CarryWork,
  only?: ReadonlySet<string>,
): Promise<PlannedWork> {
  const [source, target] = [
    await openShadow({ home, project: from }),
    await openShadow({ home, project: to }),
  ];
  if (source.directory !== target.directory) {
    throw new CodedError('WORKSPACE_UNSAFE', 'These folders belong to different repositories.');
  }
  const theirs = await recordTree({ shadow: source, writer: `carry-${source.place}` });
  const ours = await recordTree({ shadow: target, writer: `carry-${target.place}` });
  const common = await treeOf(source, base);
  const plan = await planDifference(target, { from: common, to: theirs.tree, now: ours.tree, at }, only);
  return { shadow: target, plan, tree: theirs.tree, leftOut: theirs.leftOut.map(({ path }) => path) };
}

/** Takes changes out of a worktree: files that are still as in `tree` become those of the commit. */
export async function planRemoval(
  shadow: Shadow,
  { base, tree, at }: { base: string; tree: string; at: number },
): Promise<PlannedWork> {
  const ours = await recordTree({ shadow, writer: `carry-${shadow.place}` });
  const to = await treeOf(shadow, base);
  const plan = await planDifference(shadow, { from: tree, to, now: ours.tree, at });
  return { shadow, plan, tree, leftOut: [] };
}

/** The files of the project's folder in a commit. */
export async function treeOf(shadow: Shadow, commit: string): Promise<string> {
  const { source, project, prefix } = shadow;
  if (!source) throw new CodedError('GIT_NO_REPOSITORY');
  const repository = new Repository({ ...source, project }, () => false);
  const folder = prefix.replace(/\/$/, '');
  const name = folder === '' ? `${commit}^{tree}` : `${commit}:${folder}`;
  const { code, stdout } = await repository.read(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', name],
    { answers: [1, 128] },
  );
  // The folder is new.
  return code === 0 ? stdout.toString('latin1').trim() : (await shadow.text(['mktree', '-z'])).trim();
}

export interface RunningCarry {
  readonly id: string;
  /** The folder of its operation. */
  readonly directory: string;
  readonly owner: string;
  readonly now: () => number;
}

/** Writes the operation. No file is changed yet. */
export async function beginWork({ shadow, plan }: PlannedWork, carry: RunningCarry): Promise<void> {
  const { id, directory, owner, now } = carry;
  await beginCarry({ shadow, plan, directory, session: owner, at: now(), id });
}

/** Whether an earlier server wrote the operation. */
export function hasBegun({ directory, id }: RunningCarry): boolean {
  return readOperation(directory, id) !== undefined;
}

/**
 * Leaves what a stopped server began here as it is, without its temporary files, so that it can be planned again. Returns
 * the number of files that it had written or removed.
 */
export async function leaveBegun(
  shadow: Shadow,
  { directory, now }: Pick<RunningCarry, 'directory' | 'now'>,
): Promise<number> {
  const begun = listOperations(directory).filter(({ ended, place }) => !ended && place === shadow.place);
  let carried = 0;
  for (const operation of begun) {
    const { ended } = await leaveCarry({ shadow, operation, directory, now });
    carried += ended.carried?.length ?? 0;
  }
  return carried;
}

/** Applies it, or finishes what an earlier server began. */
export async function finishWork(shadow: Shadow, carry: RunningCarry): Promise<EndedOperation> {
  const { id, directory, now } = carry;
  const operation = readOperation(directory, id);
  if (!operation) throw new CodedError('GIT_CHANGED');
  if (operation.ended) return { ...operation, ended: operation.ended };
  return withWorktreeLock(shadow, LOCK_MS, () => runCarry({ shadow, operation, directory, now }));
}
