/**
 * Archives a workspace (B60 to B66). The worktree is first moved aside as a whole, so that nothing can change it; only
 * once everything is kept, git's entry and the branch are removed. If keeping fails, the worktree is moved back.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { commitOf, type Repository } from '../git/repository.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { deleteBranchAt } from './create.ts';
import { gitEntries, gitEntry, lockReason } from './git-entry.ts';
import { outlasting } from './inspect.ts';
import type { Step } from './operation.ts';

export interface ArchivePorts {
  /** The project's checkout. */
  readonly repository: Repository;
  readonly machine: string;
  readonly files: ArchiveFiles;
  /** Runs the teardown command; returns a note if it failed (B64). */
  readonly teardown: () => Promise<string | undefined>;
  /** Ends agents and terminals in the workspace. */
  readonly quiesce: (row: StoredWorkspace) => Promise<void>;
}

/** Decided when the archive was requested; stored with the operation. */
export interface ArchiveData {
  /** Git's entry of the worktree. */
  readonly entry: string;
  readonly dropped: readonly string[];
  readonly deletesBranch: boolean;
}

export function archiveSteps(ports: ArchivePorts): Step[] {
  return [
    { name: 'teardown', run: (row) => runTeardown(ports, row) },
    { name: 'end', run: (row) => ports.quiesce(row).then(() => undefined) },
    { name: 'move', run: (row) => moveAside(ports, row) },
    { name: 'keep', run: (row) => keep(ports, row) },
    { name: 'unlist', run: (row) => unlist(ports, row) },
    { name: 'branch', run: (row) => settleBranch(ports, row) },
    { name: 'shrink', run: (row) => shrink(ports, row) },
  ];
}

function dataOf(row: StoredWorkspace): ArchiveData {
  return row.op?.data as unknown as ArchiveData;
}

async function runTeardown(
  { teardown }: ArchivePorts,
  { notes }: StoredWorkspace,
): Promise<Partial<StoredWorkspace>> {
  const note = await teardown();
  return note === undefined ? {} : { notes: [...notes, note] };
}

async function moveAside({ files }: ArchivePorts, row: StoredWorkspace): Promise<undefined> {
  if (existsSync(files.tree)) return undefined;
  await files.create();
  await rename(row.path, files.tree).catch((error: unknown) => {
    if (errnoOf(error) !== 'EXDEV') throw error;
    throw new CodedError(
      'WORKSPACE_UNSAFE',
      'This worktree is on another file system than the data directory, so it can’t be archived.',
      'Commit and push its work, then remove it with git worktree remove.',
    );
  });
  return undefined;
}

async function keep({ repository, files }: ArchivePorts, row: StoredWorkspace): Promise<undefined> {
  if (files.isComplete) return undefined;
  // A server was stopped while it moved the worktree back.
  if (!existsSync(files.tree)) throw new CodedError('WORKSPACE_UNSAFE', 'The archive is incomplete.');
  const { entry } = dataOf(row);
  const head = headOf(entry);
  const commit = head.commit ?? (await commitOf(repository, `refs/heads/${head.branch ?? ''}`));
  if (commit === undefined) throw new CodedError('WORKSPACE_UNSAFE', 'Its branch no longer exists.');
  const { commonDirectory } = repository.place;
  const logs = [
    join(entry, 'logs', 'HEAD'),
    join(entry, 'ORIG_HEAD'),
    ...(await filesBelow(join(entry, 'refs'))),
    ...(head.branch === undefined ? [] : [join(commonDirectory, 'logs', 'refs', 'heads', head.branch)]),
  ];
  const hasBundle = await files.keepCommits({ entry, logs }, commit, await outlasting(repository, row));
  await rm(files.entry, { recursive: true, force: true });
  await cp(entry, files.entry, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  await files.complete({
    version: 1,
    entry: basename(entry),
    head: commit,
    ...(head.branch === undefined ? {} : { branch: head.branch }),
    hasBundle,
    hasSubmodules: existsSync(join(entry, 'modules')),
  });
  return undefined;
}

/** Refs that only the worktree has, such as `refs/worktree/…`. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

/** Removes git's entry of a worktree that is gone: what `git worktree remove` does, but also with submodules. */
async function unlist({ files }: ArchivePorts, row: StoredWorkspace): Promise<undefined> {
  if (!files.isComplete) throw new CodedError('WORKSPACE_UNSAFE', 'The archive is incomplete.');
  await rm(dataOf(row).entry, { recursive: true, force: true });
  return undefined;
}

async function settleBranch({ repository, files }: ArchivePorts, row: StoredWorkspace): Promise<undefined> {
  const { branch, head } = files.manifest();
  if (!dataOf(row).deletesBranch || branch === undefined) return undefined;
  // A branch that moved since stays; so does one in a repository that may not be changed now.
  await deleteBranchAt(repository, branch, head).catch((error: unknown) => {
    if (!(error instanceof CodedError)) throw error;
  });
  return undefined;
}

async function shrink({ files }: ArchivePorts, row: StoredWorkspace): Promise<undefined> {
  await files.shrink(files.manifest().head, dataOf(row).dropped);
  return undefined;
}

/** Keeping failed: everything is still there, and goes back to its place. False if something else is there now. */
export async function undoArchive({ files }: ArchivePorts, row: StoredWorkspace): Promise<boolean> {
  if (existsSync(files.tree) && !existsSync(row.path)) await rename(files.tree, row.path);
  if (existsSync(files.tree)) return false;
  await files.remove();
  return true;
}

export interface RestorePorts {
  readonly repository: Repository;
  readonly files: ArchiveFiles;
}

/** Restores an archived workspace to the same path (B67). */
export function restoreSteps(ports: RestorePorts): Step[] {
  return [
    { name: 'objects', run: () => restoreObjects(ports) },
    { name: 'fill', run: () => ports.files.fill(ports.files.manifest().head).then(() => undefined) },
    { name: 'branch', run: (row) => restoreBranch(ports, row) },
    { name: 'list', run: (row) => list(ports, row) },
    { name: 'move', run: (row) => moveBack(ports, row) },
    { name: 'clean', run: () => ports.files.remove().then(() => undefined) },
  ];
}

/** Throws if the workspace can't be restored; nothing is changed. */
export async function checkRestorable(
  { repository, files }: RestorePorts,
  row: StoredWorkspace,
): Promise<void> {
  const { entry } = files.manifest();
  if (existsSync(row.path)) {
    throw new CodedError('FILE_EXISTS', `${row.path} exists again.`, 'Move it away, then restore.');
  }
  if (existsSync(join(repository.place.commonDirectory, 'worktrees', entry))) {
    throw new CodedError(
      'WORKSPACE_UNSAFE',
      `Git has another worktree named ${entry}.`,
      'Remove it, then restore.',
    );
  }
}

async function restoreObjects({ repository, files }: RestorePorts): Promise<undefined> {
  const { head, hasBundle } = files.manifest();
  if (hasBundle) await repository.write(['bundle', 'unbundle', files.bundle], { timeoutMs: 10 * 60_000 });
  if ((await commitOf(repository, head)) === undefined) {
    throw new CodedError(
      'GIT_FAILED',
      `The repository no longer has commit ${head.slice(0, 10)}, which the workspace is based on.`,
    );
  }
  return undefined;
}

/** The branch again if it is gone. If it moved or is used elsewhere, the workspace is detached at its commit. */
async function restoreBranch(
  { repository, files }: RestorePorts,
  row: StoredWorkspace,
): Promise<Partial<StoredWorkspace>> {
  const { branch, head } = files.manifest();
  if (branch === undefined) return {};
  const ref = `refs/heads/${branch}`;
  const now = await commitOf(repository, ref);
  if (now === undefined) {
    await repository.write(['update-ref', '--create-reflog', ref, head, '0'.repeat(head.length)]);
    return {};
  }
  const isUsed = (await gitEntries(repository)).some(
    (entry) => entry.branch === branch && entry.path !== row.path,
  );
  if (now === head && !isUsed) return {};
  writePrivate(join(files.entry, 'HEAD'), `${head}\n`);
  const why = isUsed ? 'is checked out elsewhere' : 'has moved since';
  return { notes: [...row.notes, `${branch} ${why}, so the workspace has no branch.`], madeBranch: false };
}

async function list({ repository, files }: RestorePorts, row: StoredWorkspace): Promise<undefined> {
  const { entry } = files.manifest();
  const folder = join(repository.place.commonDirectory, 'worktrees');
  const target = join(folder, entry);
  if (existsSync(target)) return undefined;
  await mkdir(folder, { recursive: true });
  // Under another name first: a half-copied entry must not look complete.
  const fresh = join(dirname(folder), `tugdeck-${row.id}`);
  await rm(fresh, { recursive: true, force: true });
  await cp(files.entry, fresh, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  await rename(fresh, target);
  return undefined;
}

async function moveBack({ files }: RestorePorts, row: StoredWorkspace): Promise<undefined> {
  if (!existsSync(files.tree)) return undefined;
  if (existsSync(row.path)) throw new CodedError('FILE_EXISTS', `${row.path} exists again.`);
  await mkdir(dirname(row.path), { recursive: true, mode: 0o700 });
  await rename(files.tree, row.path);
  return undefined;
}

/** Git's entry of a workspace, if it is ours: locked with our reason, or not locked. */
export async function ownEntry(
  { repository, machine }: Pick<ArchivePorts, 'repository' | 'machine'>,
  row: StoredWorkspace,
  entry: string,
): Promise<string> {
  const { commonDirectory } = repository.place;
  const known = await gitEntry(repository, row.path);
  const isOurs = known && (known.reason === undefined || known.reason === lockReason(machine, row));
  if (!isOurs || dirname(entry) !== join(commonDirectory, 'worktrees')) {
    throw new CodedError(
      'WORKSPACE_UNSAFE',
      known?.reason === undefined
        ? 'Git does not list this worktree.'
        : `Another program locked this worktree: ${known.reason.slice(0, 100)}.`,
      'Unlock it with git worktree unlock if nothing else uses it.',
    );
  }
  return entry;
}

function headOf(entry: string): { branch?: string; commit?: string } {
  const text = (readBoundedText(join(entry, 'HEAD'), { maxBytes: 4096 }) ?? '').trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
  return branch === undefined ? { commit: text } : { branch };
}
