/**
 * Moves the project's branch back to the commit of a checkpoint, and forward again (T30–T32): by compare-and-swap, only
 * while nothing else is in progress in the repository. Files are not touched. Commits that leave the branch are kept in
 * the shadow repository first. Git gets a view without executable configuration, and runs no hooks.
 */
import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { type GitCall, git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { gitView } from './guard/git-view.ts';
import { type Head, readHead, readRef } from './read-head.ts';
import type { Shadow, ShadowSource } from './shadow.ts';

/** `from` and `to` are commits: the branch is at `from` and moves to `to`. */
export interface BranchMove {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
}

/** Why a branch can't be moved back. */
export type BranchStays = 'detached' | 'switched' | 'rewritten' | 'elsewhere' | 'unfinished' | 'staged';

export interface BranchPlan {
  readonly move?: BranchMove | undefined;
  readonly stays?: BranchStays | undefined;
  /** Number of commits since that a remote has, as far as the last fetch knows. */
  readonly pushed: number;
}

/** Git writes these while a merge, rebase, cherry-pick, revert or bisect is in progress. */
const UNFINISHED = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'index.lock',
];
const MAX_HEAD = 4_096;
const PACK_MS = 5 * 60_000;
const PACK = /^[0-9a-f]{40,64}$/;
const MAX_PACK = 256 * 1024 * 1024;

/** Undefined outside git, and if the commit is the same as at the checkpoint. */
export async function planBranchMove(
  { source }: Shadow,
  before: Head | undefined,
  now: Head | undefined,
): Promise<BranchPlan | undefined> {
  if (!source || !before || !now || before.commit === now.commit) return undefined;
  const { branch } = now;
  if (branch === undefined || before.branch === undefined) return { stays: 'detached', pushed: 0 };
  if (branch !== before.branch) return { stays: 'switched', pushed: 0 };
  const move = { branch, from: now.commit, to: before.commit };
  if (!(await isAncestor(source, move))) return { stays: 'rewritten', pushed: 0 };
  const pushed = await pushedCommits(source, move);
  const stays = await hindrance(source, move);
  return stays ? { stays, pushed } : { move, pushed };
}

async function hindrance(source: ShadowSource, move: BranchMove): Promise<BranchStays | undefined> {
  const { gitDirectory } = source;
  for (const name of UNFINISHED) if (await exists(join(gitDirectory, name))) return 'unfinished';
  if (await isCheckedOutElsewhere(source, move.branch)) return 'elsewhere';
  return (await moveIndex(source, move, true)) ? undefined : 'staged';
}

/**
 * Keeps the commits that leave the branch, so that the project can be cleaned up and the move still be undone. A kept
 * pack and no ref: cleaning up would follow a ref into commits that the project may remove.
 */
export async function keepCommits(shadow: Shadow, { from, to }: BranchMove): Promise<void> {
  const packs = join(shadow.directory, 'objects', 'pack');
  const input = `${from}\n^${to}\n`;
  const args = ['pack-objects', '--revs', '--quiet', join(packs, 'pack')];
  const pack = (await shadow.text(args, { input, timeoutMs: PACK_MS })).trim();
  if (!PACK.test(pack)) throw new CodedError('GIT_FAILED');
  await writeFile(join(packs, `pack-${pack}.keep`), '', { mode: 0o600 });
}

/** Returns whether the branch is at `to` now. Running it again changes nothing more. */
export async function moveBranch(shadow: Shadow, move: BranchMove): Promise<boolean> {
  const { source } = shadow;
  if (!source) return false;
  const { branch, from, to } = move;
  const ref = `refs/heads/${branch}`;
  if (readRef(source.commonDirectory, ref) !== to) {
    await bringCommits(shadow, source, move);
    if (readHead(source)?.branch !== branch || (await hindrance(source, move))) return false;
    const { code } = await run(source, ['update-ref', '-m', 'tugdeck: restore', ref, to, from], {
      answers: [1, 128],
    });
    if (code !== 0) return false;
  }
  // Somebody may have switched to another branch since; its index is left alone.
  if (readHead(source)?.branch !== branch) return true;
  await moveIndex(source, move, false);
  return true;
}

/** Changes the index from one commit to the other, keeping staged changes. False if one of them is in the way. */
async function moveIndex(
  source: ShadowSource,
  { from, to }: BranchMove,
  isDryRun: boolean,
): Promise<boolean> {
  const { code } = await run(source, ['read-tree', '-m', '-i', ...(isDryRun ? ['-n'] : []), from, to], {
    answers: [1, 128],
  });
  return code === 0;
}

/** The project may have removed commits that no branch had. */
async function bringCommits(shadow: Shadow, source: ShadowSource, { from, to }: BranchMove): Promise<void> {
  const args = ['rev-list', '--objects', '--quiet', to, '--not', from];
  const { code } = await run(source, args, { answers: [1, 128] });
  if (code === 0) return;
  const { stdout } = await shadow.run(['pack-objects', '--revs', '--quiet', '--stdout'], {
    input: `${to}\n^${from}\n`,
    maxBytes: MAX_PACK,
    timeoutMs: PACK_MS,
  });
  await run(source, ['unpack-objects', '-q'], { input: stdout, timeoutMs: PACK_MS });
}

async function isAncestor(source: ShadowSource, { from, to }: BranchMove): Promise<boolean> {
  const { code } = await run(source, ['merge-base', '--is-ancestor', to, from], { answers: [1, 128] });
  return code === 0;
}

async function pushedCommits(source: ShadowSource, { from, to }: BranchMove): Promise<number> {
  const count = async (...not: string[]) => {
    const { stdout } = await run(source, ['rev-list', '--count', from, '--not', to, ...not]);
    return Number(stdout.toString('latin1'));
  };
  return (await count()) - (await count('--remotes'));
}

async function isCheckedOutElsewhere(
  { gitDirectory, commonDirectory }: ShadowSource,
  branch: string,
): Promise<boolean> {
  const linked = await readdir(join(commonDirectory, 'worktrees')).catch(() => []);
  const others = [commonDirectory, ...linked.map((name) => join(commonDirectory, 'worktrees', name))];
  return others.some((directory) => {
    if (directory === gitDirectory) return false;
    const text = readBoundedText(join(directory, 'HEAD'), { maxBytes: MAX_HEAD });
    return text?.trim() === `ref: refs/heads/${branch}`;
  });
}

async function run(
  source: ShadowSource,
  args: readonly string[],
  options: Omit<GitCall, 'directory' | 'args'> = {},
) {
  const { environment } = await gitView(source);
  return git({ ...options, directory: source.root, args, environment });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw new CodedError('GIT_FAILED');
    },
  );
}
