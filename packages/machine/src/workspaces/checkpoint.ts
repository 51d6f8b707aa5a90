/**
 * Starts a workspace from a checkpoint of a session (T36): at the commit of that time, or the nearest earlier one that
 * still exists, with exactly the files of that time.
 */
import { randomUUID } from 'node:crypto';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceSpec } from '@tugdeck/protocol/workspaces/workspace';
import { beginCarry, planDifference, runCarry } from '@tugdeck/trees/carry/carry';
import { checkpointAt } from '@tugdeck/trees/carry/session-restore';
import { hasTree } from '@tugdeck/trees/compare-trees';
import { recordTree } from '@tugdeck/trees/record-tree';
import { readTurnSpans, type TurnBound } from '@tugdeck/trees/turn-bounds';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { commitOf, type Repository } from '../git/repository.ts';
import type { Base } from './base.ts';
import { leaveBegun, type RunningCarry } from './carry-work.ts';

export type CheckpointName = NonNullable<WorkspaceSpec['checkpoint']>;

export interface StartPoint extends TurnBound {
  readonly tree: string;
  /** Commits of that time and before, newest first. */
  readonly commits: readonly string[];
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const MOVED = 'The commit of that time no longer exists, so the branch starts from an earlier one.';

/** `file`: the record of the session's turns; undefined for a session of another project. */
export async function startPoint(
  file: string | undefined,
  { turn, message }: CheckpointName,
): Promise<StartPoint> {
  if (file === undefined) throw new CodedError('SESSION_NOT_FOUND');
  const turns = await readTurnSpans(file);
  const bound = checkpointAt(turns, { turn, prompt: message });
  const tree = bound?.tree;
  if (!bound || tree === undefined) throw notRecorded();
  const earlier = turns.slice(
    0,
    turns.findIndex((span) => span.turn === turn),
  );
  const heads = [bound, ...earlier.reverse().flatMap(({ start, end }) => [end, start])];
  const commits = new Set(heads.flatMap((one) => one?.head?.commit ?? []));
  return { ...bound, tree, commits: [...commits].filter((commit) => COMMIT.test(commit)) };
}

/** Undefined if none of the commits exists any longer. */
export async function checkpointBase(repository: Repository, point: StartPoint): Promise<Base | undefined> {
  for (const [index, name] of point.commits.entries()) {
    const commit = await commitOf(repository, name);
    if (commit === undefined) continue;
    const ref = `refs/heads/${point.head?.branch ?? ''}`;
    const isBranch = point.head?.branch !== undefined && (await commitOf(repository, ref)) !== undefined;
    return { ref: isBranch ? ref : undefined, commit, ...(index > 0 ? { note: MOVED } : {}) };
  }
  return undefined;
}

/** Replaces the files of a new worktree. Can be repeated; only files that were too large to record stay. */
export async function writeCheckpoint(
  { home, project }: { readonly home: string; readonly project: string },
  { tree, leftOut = [], leftMany, at }: StartPoint,
  { directory, owner, now }: Omit<RunningCarry, 'id'>,
): Promise<readonly string[]> {
  const shadow = await openShadow({ home, project });
  if (!(await hasTree(shadow, tree))) throw notRecorded();
  await leaveBegun(shadow, { directory, now });
  const { tree: current } = await recordTree({ shadow, writer: `carry-${shadow.place}` });
  const { rows, ...plan } = await planDifference(shadow, { from: current, to: tree, now: current, at });
  const large = new Set(leftOut.map(({ path }) => path));
  const wanted = rows.filter(({ path, after }) => after || !(leftMany || large.has(path)));
  const operation = await beginCarry({
    shadow,
    plan: { ...plan, rows: wanted },
    directory,
    session: owner,
    at: now(),
    id: randomUUID(),
  });
  const { ended } = await runCarry({ shadow, operation, directory, now });
  return ended.left.map(({ path }) => path);
}

function notRecorded(): CodedError {
  return new CodedError('NOT_FOUND', 'The files before this message are no longer recorded.');
}
