/**
 * Submodules of a new workspace (B23): those that the checkout has are cloned from its copies on disk, so that nothing
 * is fetched if it has their commits. Also reports LFS files that are only pointers (B24).
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import type { GitOptions, Repository } from '../git/repository.ts';
import { listed } from './listed.ts';
import type { WorkspaceSettings } from './settings.ts';

const CLONE_MS = 5 * 60_000;
const POINTER = 'version https://git-lfs.github.com/spec/';
const MAX_POINTERS = 1_000;

export interface SubmodulePorts {
  /** The project's checkout. */
  readonly repository: Repository;
  readonly isTrusted: boolean;
  /** The project's variables, for the network. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: Pick<WorkspaceSettings, 'fetch'>;
}

interface Submodule {
  readonly name: string;
  readonly path: string;
}

/** Returns notes about submodules that could not be checked out. Only in a trusted project. */
export async function addSubmodules(
  { repository, isTrusted, environment, settings }: SubmodulePorts,
  worktree: Repository,
  row: StoredWorkspace,
): Promise<string[]> {
  const wanted = (await submodulesOf(worktree)).filter(({ name }) => copyOf(repository, name) !== undefined);
  if (wanted.length === 0) return [];
  if (!isTrusted) return [`Submodules are left out until you trust the project: ${listed(names(wanted))}.`];
  const failed: Submodule[] = [];
  for (const module of wanted) {
    const done =
      (await update(worktree, row, module, localOptions(repository, module))) ||
      (settings.fetch !== false &&
        (await update(worktree, row, module, { network: true, environment, timeoutMs: CLONE_MS })));
    if (!done) failed.push(module);
    else await useOwnRemote(repository, worktree, module);
  }
  if (failed.length === 0) return [];
  const text = `Submodules that could not be checked out: ${listed(names(failed))}.`;
  return [`${text} Run git submodule update --init in a terminal.`];
}

const names = (modules: readonly Submodule[]) => modules.map(({ path }) => path);

/** `--checkout`: a configured update mode could be a command. */
async function update(
  worktree: Repository,
  row: StoredWorkspace,
  { path }: Submodule,
  options: GitOptions,
): Promise<boolean> {
  const args = ['submodule', '--quiet', 'update', '--init', '--checkout', '--', path];
  try {
    await worktree.write(args, {
      ...options,
      environment: { ...options.environment, GIT_WORK_TREE: undefined, GIT_DIR: undefined },
      timeoutMs: CLONE_MS,
    });
    return existsSync(join(row.path, path, '.git'));
  } catch (error) {
    if (error instanceof CodedError && (error.code === 'GIT_FAILED' || error.code === 'GIT_TIMEOUT'))
      return false;
    throw error;
  }
}

/** Clones from the checkout's copy instead of the network. */
function localOptions(repository: Repository, { name }: Submodule): GitOptions {
  return {
    config: [
      [`submodule.${name}.url`, copyOf(repository, name) ?? ''],
      ['protocol.file.allow', 'always'],
    ],
    environment: { GIT_ALLOW_PROTOCOL: 'file' },
  };
}

/** The clone's remote is the one that the checkout's copy has. */
async function useOwnRemote(
  repository: Repository,
  worktree: Repository,
  { name }: Submodule,
): Promise<void> {
  const copy = copyOf(repository, name);
  if (copy === undefined) return;
  const read = ['config', '--file', join(copy, 'config'), '--get', 'remote.origin.url'];
  const { code, stdout } = await repository.read(read, { answers: [1] });
  const url = code === 0 ? stdout.toString('utf8').trim() : '';
  const config = join(worktree.place.gitDirectory, 'modules', name, 'config');
  if (url === '' || url.startsWith('-') || !existsSync(config)) return;
  await worktree.write(['config', '--file', config, 'remote.origin.url', url]);
}

/** The checkout's copy of a submodule. */
function copyOf({ place }: Repository, name: string): string | undefined {
  if (name.split('/').includes('..')) return undefined;
  const folder = join(place.gitDirectory, 'modules', name);
  return existsSync(join(folder, 'HEAD')) ? folder : undefined;
}

async function submodulesOf(worktree: Repository): Promise<Submodule[]> {
  if (!existsSync(join(worktree.place.root, '.gitmodules'))) return [];
  const args = ['config', '--file', '.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const { code, stdout } = await worktree.read(args, { answers: [1] });
  if (code !== 0) return [];
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const at = entry.indexOf('\n');
      const name = /^submodule\.(.+)\.path$/s.exec(entry.slice(0, at))?.[1];
      const path = entry.slice(at + 1);
      return at < 0 || name === undefined || path === '' || path.startsWith('-') ? [] : [{ name, path }];
    });
}

/** LFS files without their contents; the checkout stands. */
export async function missingLfs(worktree: Repository): Promise<string[]> {
  const args = ['ls-files', '-z', '--', ':(attr:filter=lfs)'];
  // Pathspecs are literal by default.
  const environment = { GIT_LITERAL_PATHSPECS: undefined };
  const { code, stdout } = await worktree.read(args, { answers: [1, 128], environment });
  const paths = code === 0 ? stdout.toString('utf8').split('\0').filter(Boolean) : [];
  let pointers = 0;
  for (const path of paths.slice(0, MAX_POINTERS)) {
    if (await isPointer(join(worktree.place.root, path))) pointers += 1;
  }
  if (pointers === 0) return [];
  return [
    `${pointers} LFS ${pointers === 1 ? 'file is a pointer' : 'files are pointers'}. Run git lfs pull in a terminal.`,
  ];
}

async function isPointer(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(POINTER.length), 0, POINTER.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === POINTER;
  } finally {
    await handle.close();
  }
}
