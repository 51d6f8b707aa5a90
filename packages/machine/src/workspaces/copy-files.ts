/**
 * Copies ignored files such as `.env` from the checkout into a new workspace (B15), and links folders that are shared
 * with it (B16). Only plain files that git ignores, opened by handle inside the checkout; never over an existing file.
 * The patterns can come from the repository, so git matches them: a pattern can't name a file outside.
 */
import { constants } from 'node:fs';
import { lstat, mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { openChangeable, openFile, openTarget, withTarget } from '@tugdeck/local/files/confined';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { makeFolders } from '@tugdeck/local/files/make-folders';
import { writePrivate } from '@tugdeck/local/private-file';
import { isGitOwn, parentOf, pathFault } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { ignoredOf } from '../files/git-list.ts';
import type { Repository } from '../git/repository.ts';

const DEFAULT_PATTERNS = ['.env', '.env.*', '.envrc'];
/** Lists patterns in the syntax of `.gitignore`; other tools read it too. */
const INCLUDE_FILE = '.worktreeinclude';
const MAX_INCLUDE = 64 * 1024;
const MAX_FILE = 10 * 1024 * 1024;
const MAX_TOTAL = 100 * 1024 * 1024;
const MAX_FILES = 2_000;

export interface CopyOptions {
  /** The checkout. */
  readonly repository: Repository;
  /** The top of the new worktree. */
  readonly to: string;
  /** The user's patterns; replaces the default ones. */
  readonly patterns?: readonly string[] | undefined;
  /** Whether the project's own list may be used. */
  readonly isTrusted: boolean;
}

export interface Copied {
  readonly files: readonly string[];
  /** Files that were too large, too many or not readable. */
  readonly left: number;
}

export async function copyIgnoredFiles({
  repository,
  to,
  patterns,
  isTrusted,
}: CopyOptions): Promise<Copied> {
  const { root } = repository.place;
  const own = isTrusted ? (readBoundedText(join(root, INCLUDE_FILE), { maxBytes: MAX_INCLUDE }) ?? '') : '';
  const paths = await matching(repository, `${(patterns ?? DEFAULT_PATTERNS).join('\n')}\n${own}\n`);
  const files: string[] = [];
  let left = 0;
  let total = 0;
  for (const path of paths) {
    if (files.length >= MAX_FILES) {
      left += 1;
      continue;
    }
    try {
      const size = await copyFile(root, to, path, Math.min(MAX_FILE, MAX_TOTAL - total));
      if (size === undefined) continue;
      files.push(path);
      total += size;
    } catch (error) {
      if (!(error instanceof CodedError) && errnoOf(error) === undefined) throw error;
      if (errnoOf(error) === 'ENOSPC') throw error;
      left += 1;
    }
  }
  return { files, left };
}

/** Ignored files that match the patterns. */
async function matching(repository: Repository, patterns: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tugdeck-copy-'));
  try {
    const file = join(folder, 'patterns');
    writePrivate(file, patterns);
    const list = ['ls-files', '-z', '--others', '--ignored'];
    const found = split(await repository.readText([...list, `--exclude-from=${file}`]));
    if (found.length === 0) return [];
    const ignored = await ignoredOf(repository.place.root, found);
    return found.filter((path) => ignored.has(path) && pathFault(path) === undefined && !isGitOwn(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the size, or undefined if it is not a plain file or the workspace already has one. */
async function copyFile(from: string, to: string, path: string, limit: number): Promise<number | undefined> {
  const isPlain = await withTarget(openTarget(from, path), async ({ folder, name }) =>
    (await lstat(folder.at(name))).isFile(),
  );
  if (!isPlain) return undefined;
  const source = await openFile(from, path);
  try {
    // A folder on the way is a link: the file belongs to another path.
    if (source.path !== path) return undefined;
    const { size, mode } = source.stats;
    if (size > limit) throw new CodedError('FILE_TOO_LARGE');
    const content = await source.handle.readFile();
    await makeFolders(to, parentOf(path));
    return await withTarget(openChangeable(to, path), async ({ folder, name }) => {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
      const handle = await open(folder.at(name), flags, mode & 0o777).catch((error: unknown) => {
        if (errnoOf(error) === 'EEXIST') return undefined;
        throw error;
      });
      if (!handle) return undefined;
      try {
        await handle.writeFile(content);
        await handle.chmod(mode & 0o777);
      } finally {
        await handle.close();
      }
      return size;
    });
  } finally {
    await source.handle.close();
  }
}

/** Links folders of the checkout that git ignores, such as `node_modules`. Returns those that were linked. */
export async function linkFolders(
  repository: Repository,
  to: string,
  folders: readonly string[],
): Promise<string[]> {
  const { root } = repository.place;
  const linked: string[] = [];
  for (const path of folders) {
    if (path === '' || pathFault(path) !== undefined || isGitOwn(path)) continue;
    const isIgnored = (await ignoredOf(root, [path])).has(path);
    const isFolder = await lstat(join(root, path)).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (!isIgnored || !isFolder) continue;
    await makeFolders(to, parentOf(path));
    const isMade = await withTarget(openChangeable(to, path), async ({ folder, name }) =>
      symlink(join(root, path), folder.at(name)).then(
        () => true,
        (error: unknown) => {
          if (errnoOf(error) === 'EEXIST') return false;
          throw error;
        },
      ),
    );
    if (isMade) linked.push(path);
  }
  return linked;
}

function split(text: string): string[] {
  return text.split('\0').filter(Boolean);
}
