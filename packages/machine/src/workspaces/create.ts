/**
 * Creates a workspace (B1 to B31): resolves the base, reserves folder and branch, checks out the files, copies ignored
 * files and runs the setup. If it fails, nothing is left behind (B12).
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { freeName } from '@tugdeck/protocol/workspaces/names';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { checkBranchName, commitOf, type Repository } from '../git/repository.ts';
import { type Base, resolveBase, short } from './base.ts';
import { checkpointBase, type StartPoint } from './checkpoint.ts';
import { copyIgnoredFiles, linkFolders } from './copy-files.ts';
import { gitEntries, gitEntry, isHalfMade, lockReason, waitForCheckout } from './git-entry.ts';
import { listed } from './listed.ts';
import type { Step } from './operation.ts';
import type { WorkspaceSettings } from './settings.ts';
import { addSubmodules, missingLfs } from './submodules.ts';

export interface CreatePorts {
  /** The project's checkout. */
  readonly repository: Repository;
  readonly machine: string;
  readonly settings: WorkspaceSettings;
  readonly isTrusted: boolean;
  /** The commits are from a fork (B91). */
  readonly isForeign: boolean;
  /** The project's variables, for a fetch. */
  readonly environment: Readonly<Record<string, string>>;
  /** Free disk space for a folder, in bytes. */
  readonly freeBytes: (folder: string) => Promise<number>;
  /** Names that other workspaces of the repository have. */
  readonly takenPaths: () => ReadonlySet<string>;
  readonly takenBranches: () => readonly string[];
  /** The new worktree. */
  readonly worktree: (row: StoredWorkspace) => Promise<Repository>;
  /** Files and commit to start from, if they are those of a checkpoint. */
  readonly checkpoint: () => Promise<StartPoint | undefined>;
  /** Writes the files of a checkpoint, and returns those that could not be written. */
  readonly writeCheckpoint: (row: StoredWorkspace, point: StartPoint) => Promise<readonly string[]>;
  /** Carries the checkout's uncommitted changes into the workspace (B6), and returns notes. */
  readonly bring: (row: StoredWorkspace) => Promise<readonly string[]>;
  /** Runs the setup command in a terminal. */
  readonly setup: (row: StoredWorkspace, command: string) => Promise<SetupResult>;
}

/** The exit code, undefined if it was stopped; or the user no longer waits for it. */
export type SetupResult = { readonly code: number | undefined } | 'skipped';

/** Checking out a large repository takes longer than other calls. */
const CHECKOUT_MS = 10 * 60_000;
/** Git's child processes must find the new worktree, not this one. LFS files that can't be downloaded stay pointers (B24). */
export const CHECKOUT_ENVIRONMENT = { GIT_WORK_TREE: undefined, GIT_LFS_SKIP_DOWNLOAD_ERRORS: '1' };
const RESERVE_BYTES = 1024 * 1024 * 1024;
const MAX_NAMES = 100;
const MAX_TRIES = 10;
const ZERO = '0'.repeat(40);

export function createSteps(ports: CreatePorts): Step[] {
  return [
    { name: 'base', run: (row) => findBase(ports, row) },
    { name: 'folder', run: (row) => reserveFolder(ports, row) },
    { name: 'branch', run: (row) => createBranch(ports, row) },
    { name: 'worktree', run: (row) => addWorktree(ports, row) },
    { name: 'lock', run: (row) => lock(ports, row) },
    { name: 'submodules', run: (row) => checkOutRest(ports, row) },
    { name: 'checkpoint', run: (row) => restoreFiles(ports, row) },
    { name: 'files', run: (row) => copyFiles(ports, row) },
    { name: 'changes', run: (row) => bringChanges(ports, row) },
    { name: 'setup', run: (row) => runSetup(ports, row) },
  ];
}

async function findBase(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { repository } = ports;
  const { branch } = row.op?.data ?? {};
  const { ref, commit, note } = await baseOf(ports, row);
  await checkRoom(ports, row, commit);
  const name = typeof branch === 'string' ? branch : (row.branch ?? row.name);
  await checkBranchName(repository, name);
  const existing = await commitOf(repository, `refs/heads/${name}`);
  if (typeof branch === 'string' && existing !== undefined) {
    const elsewhere = (await gitEntries(repository)).find((entry) => entry.branch === branch);
    if (elsewhere) {
      throw new CodedError(
        'GIT_FAILED',
        `${branch} is already checked out in ${elsewhere.path}.`,
        'Start the session there, or choose another branch.',
      );
    }
  }
  const isExisting = typeof branch === 'string' && existing !== undefined;
  const local = await localBranches(repository);
  return {
    baseRef: ref,
    baseCommit: commit,
    branch: isExisting ? name : freeName(name, [...local, ...ports.takenBranches()]),
    madeBranch: !isExisting,
    notes: note === undefined ? row.notes : [...row.notes, note],
  };
}

async function baseOf(ports: CreatePorts, row: StoredWorkspace): Promise<Base> {
  const { repository, settings, isTrusted, environment } = ports;
  const point = await ports.checkpoint();
  const found = point && (await checkpointBase(repository, point));
  if (found) return found;
  const { base: asked, at } = row.op?.data ?? {};
  // Resolved once for several workspaces (B37).
  if (at) return at as Base;
  return resolveBase(repository, {
    ...(typeof asked === 'string' ? { asked } : {}),
    configured: settings.base,
    // Fetching is part of starting in a trusted project; elsewhere the network is off (B50).
    ...(isTrusted && settings.fetch !== false ? { fetchWith: environment } : {}),
  });
}

/** B13: refused before anything is written. */
async function checkRoom(
  { repository, freeBytes }: CreatePorts,
  row: StoredWorkspace,
  commit: string,
): Promise<void> {
  const sizes = await repository.readText(['ls-tree', '-r', '-z', '--long', commit], {
    maxBytes: 256 * 1024 * 1024,
  });
  let bytes = 0;
  for (const line of sizes.split('\0')) bytes += Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(line)?.[1] ?? 0);
  const needed = Math.round(1.2 * bytes) + RESERVE_BYTES;
  await mkdir(dirname(row.path), { recursive: true, mode: 0o700 });
  const free = await freeBytes(dirname(row.path));
  if (free < needed) throw diskLow(needed, free);
}

export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export function diskLow(needed: number, free: number): CodedError {
  return new CodedError(
    'DISK_LOW',
    `A workspace needs ${gigabytes(needed)} of free disk space; ${gigabytes(free)} is available.`,
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

async function localBranches(repository: Repository): Promise<string[]> {
  const text = await repository.readText(['for-each-ref', '--format=%(refname)', 'refs/heads/']);
  return text.split('\n').filter(Boolean).map(short);
}

/** An empty folder reserves the path; one with contents is never used (B10). */
async function reserveFolder(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  await mkdir(dirname(row.path), { recursive: true, mode: 0o700 });
  const first = row.path;
  for (let number = 1; number <= MAX_NAMES; number++) {
    const path = number === 1 ? first : `${first}-${number}`;
    if (path !== row.path && ports.takenPaths().has(path)) continue;
    if (await makeEmpty(path)) return { path, name: basename(path) };
  }
  throw new CodedError('FILE_EXISTS', `${first} already exists.`, 'Choose another name for the workspace.');
}

/** False if there is something. */
export async function makeEmpty(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    // Reserved by a server that was stopped here.
    return readdir(path).then(
      (names) => names.length === 0,
      () => false,
    );
  }
}

/** Created only if it doesn't exist; one that somebody else created since is left alone, and another name is used. */
async function createBranch(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { repository } = ports;
  const { madeBranch, baseCommit = '' } = row;
  if (!madeBranch) return {};
  for (let tries = 1; ; tries++) {
    const branch = await freeBranch(ports, row);
    const args = ['update-ref', '--create-reflog', '-m', createdBy(row), `refs/heads/${branch}`];
    try {
      await repository.write([...args, baseCommit, zero(baseCommit)]);
      return { branch };
    } catch (error) {
      // Left by a server that was stopped here; or another server created one at this moment.
      if (await isOwnBranch(repository, row, branch)) return { branch };
      const isThere = (await commitOf(repository, `refs/heads/${branch}`)) !== undefined;
      if (!isThere || tries === MAX_TRIES) throw error;
    }
  }
}

/** A name that no branch has, or only one that was created for this workspace. */
async function freeBranch({ repository, takenBranches }: CreatePorts, row: StoredWorkspace): Promise<string> {
  const { branch: wanted = '' } = row;
  const taken = [...takenBranches()];
  for (const name of await localBranches(repository)) {
    if (!(name.startsWith(wanted) && (await isOwnBranch(repository, row, name)))) taken.push(name);
  }
  return freeName(wanted, taken);
}

/** In the reflog of a branch: it was created for this workspace. */
function createdBy({ id }: StoredWorkspace): string {
  return `tugdeck: workspace ${id}`;
}

async function isOwnBranch(repository: Repository, row: StoredWorkspace, branch: string): Promise<boolean> {
  const args = ['reflog', 'show', '--format=%gs', `refs/heads/${branch}`, '--'];
  const { code, stdout } = await repository.read(args, { answers: [128] });
  return code === 0 && stdout.toString('utf8').trim().split('\n').at(-1) === createdBy(row);
}

async function addWorktree({ repository }: CreatePorts, row: StoredWorkspace): Promise<undefined> {
  await waitForCheckout(repository, row.path);
  const entry = await gitEntry(repository, row.path);
  if (entry && !isHalfMade(entry) && existsSync(join(row.path, '.git'))) return undefined;
  await removeEntry(repository, row);
  await rm(row.path, { recursive: true, force: true });
  await repository.write(['worktree', 'add', '--quiet', row.path, row.branch ?? ''], {
    environment: CHECKOUT_ENVIRONMENT,
    timeoutMs: CHECKOUT_MS,
  });
  return undefined;
}

async function lock({ repository, machine }: CreatePorts, row: StoredWorkspace): Promise<undefined> {
  const reason = lockReason(machine, row);
  if ((await gitEntry(repository, row.path))?.reason === reason) return undefined;
  await repository.write(['worktree', 'lock', '--reason', reason, '--', row.path]);
  return undefined;
}

/** The files of the checkpoint that the workspace starts from (T36). */
async function restoreFiles(
  ports: CreatePorts,
  row: StoredWorkspace,
): Promise<Partial<StoredWorkspace> | undefined> {
  const point = await ports.checkpoint();
  const left = point ? await ports.writeCheckpoint(row, point) : [];
  if (left.length === 0) return undefined;
  return { notes: [...row.notes, `Not written: ${listed(left)}.`] };
}

/** Submodules, and a note about LFS files without contents. */
async function checkOutRest(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const worktree = await ports.worktree(row);
  const notes = [...(await addSubmodules(ports, worktree, row)), ...(await missingLfs(worktree))];
  return notes.length === 0 ? {} : { notes: [...row.notes, ...notes] };
}

async function copyFiles(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { repository, settings, isTrusted, isForeign } = ports;
  if (isForeign) return {};
  const copied = await copyIgnoredFiles({ repository, to: row.path, patterns: settings.copy, isTrusted });
  const linked = await linkFolders(repository, row.path, settings.link ?? []);
  const notes = [
    ...(copied.files.length > 0 ? [`Copied ${listed(copied.files)}.`] : []),
    ...(copied.left > 0 ? [`${copied.left} files were too large or could not be copied.`] : []),
    ...(linked.length > 0 ? [`Shared with the checkout: ${listed(linked)}.`] : []),
  ];
  return { notes: [...row.notes, ...notes] };
}

async function bringChanges({ bring }: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  if (row.op?.data.withChanges !== true) return {};
  return { notes: [...row.notes, ...(await bring(row))] };
}

/** A failed setup leaves a usable workspace, with the failure in its row (B17). */
async function runSetup(ports: CreatePorts, row: StoredWorkspace): Promise<Partial<StoredWorkspace>> {
  const { setup } = ports.settings;
  if (setup === undefined || row.op?.data.noSetup === true) return {};
  const result = await ports.setup(row, setup);
  if (result === 'skipped') return { notes: [...row.notes, 'The setup may still run in its terminal.'] };
  return { fault: setupFault(result) };
}

export function setupFault(result: SetupResult): string | undefined {
  if (result === 'skipped' || result.code === 0) return undefined;
  return result.code === undefined ? 'Setup was stopped.' : `Setup failed with exit code ${result.code}.`;
}

/** Removes what a failed creation left: entry, folder and branch, each only if it is ours and unchanged. */
export async function undoCreate(ports: CreatePorts, row: StoredWorkspace): Promise<void> {
  const { repository } = ports;
  const step = row.op?.step ?? 'base';
  if (step === 'base' || step === 'folder') return;
  if (step === 'branch') {
    // Still empty; anything in it is not ours.
    await rmdir(row.path).catch(() => undefined);
  } else {
    await waitForCheckout(repository, row.path);
    await rm(row.path, { recursive: true, force: true });
    await removeEntry(repository, row);
  }
  const { madeBranch, baseCommit, branch = '' } = row;
  if (!madeBranch || baseCommit === undefined || !(await isOwnBranch(repository, row, branch))) return;
  await deleteBranchAt(repository, branch, baseCommit);
}

async function removeEntry(repository: Repository, { path }: StoredWorkspace): Promise<void> {
  const entry = await gitEntry(repository, path);
  if (!entry) return;
  const environment = { GIT_WORK_TREE: undefined };
  if (entry.reason !== undefined) await repository.write(['worktree', 'unlock', '--', path], { environment });
  await repository.write(['worktree', 'remove', '--force', '--', path], { environment });
}

/** Only if it still points to `commit`, and is not checked out. */
export async function deleteBranchAt(
  repository: Repository,
  branch: string,
  commit: string,
): Promise<boolean> {
  const isUsed = (await gitEntries(repository)).some((entry) => entry.branch === branch);
  if (isUsed || (await commitOf(repository, `refs/heads/${branch}`)) !== commit) return false;
  await repository.write(['update-ref', '-d', `refs/heads/${branch}`, commit]);
  return true;
}

/** "Must not exist", in the length of the repository's ids. */
export function zero(commit: string): string {
  return ZERO.padEnd(commit.length, '0');
}
