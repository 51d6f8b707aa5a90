/**
 * Finds the repository of a project by searching for `.git`, as git does. The paths passed to git come from the
 * location of that `.git` and never from the repository's configuration, where `core.worktree` could name any
 * directory.
 */
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface RepositoryPlace {
  /** The top of the worktree, with links resolved. */
  readonly root: string;
  readonly gitDirectory: string;
  /** The directory of refs and objects; differs from `gitDirectory` in a linked worktree. */
  readonly commonDirectory: string;
  /** The project's directory: `root` or inside it. */
  readonly project: string;
}

export type Found =
  | { readonly kind: 'repository'; readonly place: RepositoryPlace }
  | { readonly kind: 'bare' | 'none' };

const MAX_POINTER = 8_192;

export async function findRepository(directory: string): Promise<Found> {
  const project = await realpath(directory).catch(() => {
    throw new CodedError('PROJECT_PATH_INVALID');
  });
  if (await isBare(project)) return { kind: 'bare' };
  const home = await realpath(homedir()).catch(() => homedir());
  for (let root = project; ; root = dirname(root)) {
    // A repository of the whole home directory contains dotfiles; projects below are not part of it.
    if (root !== project && (root === home || root === dirname(root))) return { kind: 'none' };
    const gitDirectory = await gitDirectoryOf(root);
    if (gitDirectory !== undefined) {
      const commonDirectory = await commonDirectoryOf(gitDirectory);
      return { kind: 'repository', place: { root, gitDirectory, commonDirectory, project } };
    }
    if (root === dirname(root)) return { kind: 'none' };
  }
}

async function gitDirectoryOf(root: string): Promise<string | undefined> {
  const path = join(root, '.git');
  const facts = await statOf(path);
  if (facts?.isDirectory()) return (await hasHead(path)) ? path : undefined;
  if (!facts?.isFile()) return undefined;
  const text = readBoundedText(path, { maxBytes: MAX_POINTER }) ?? '';
  const pointer = /^gitdir: (.+?)\s*$/s.exec(text)?.[1];
  if (pointer === undefined) return undefined;
  const target = isAbsolute(pointer) ? pointer : resolve(root, pointer);
  return (await hasHead(target)) ? realpath(target) : undefined;
}

/** A pipe in its place would block every git. */
async function hasHead(directory: string): Promise<boolean> {
  return (await statOf(join(directory, 'HEAD')))?.isFile() === true;
}

async function commonDirectoryOf(gitDirectory: string): Promise<string> {
  const file = join(gitDirectory, 'commondir');
  const pointer = readBoundedText(file, { maxBytes: MAX_POINTER })?.trim();
  if (pointer === undefined) return gitDirectory;
  return realpath(resolve(gitDirectory, pointer)).catch(() => gitDirectory);
}

async function isBare(directory: string): Promise<boolean> {
  if (await statOf(join(directory, '.git'))) return false;
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => statOf(join(directory, name))));
  return parts[0]?.isFile() === true && parts.slice(1).every((part) => part?.isDirectory());
}

async function statOf(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(error.code ?? '')) return undefined;
    throw error;
  });
}
