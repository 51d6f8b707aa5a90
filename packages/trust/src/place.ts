/**
 * Finds a project's repository and the folders that agents read configuration from, by looking for `.git`: running
 * git would run the repository's programs. Synchronous, because it runs just before a start.
 */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';

export interface ProjectPlace {
  /** The project's directory, links resolved. */
  readonly directory: string;
  /** The root of its checkout; the directory itself outside of git. */
  readonly root: string;
  /** The root of the main checkout: trust of all its worktrees is stored under this path. */
  readonly repository: string;
  /** Innermost first: the project, every folder above it, and in a worktree the main checkout. */
  readonly folders: readonly string[];
}

const MAX_POINTER = 8_192;

export function placeOf(directory: string, home: string): ProjectPlace {
  const project = realpathOr(directory);
  const stop = realpathOr(home);
  const above = foldersAbove(project, stop);
  const root = [project, ...above].find((folder) => isCheckout(folder)) ?? project;
  const repository = mainCheckoutOf(root) ?? root;
  const folders = new Set([project, ...above, repository]);
  return { directory: project, root, repository, folders: [...folders] };
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/**
 * Agents look further up than the repository root: one reads `.mcp.json` in every folder up to `/`. Stops at the
 * user's home, where the configuration is the user's own.
 */
function foldersAbove(project: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(project); folder !== project; folder = dirname(folder)) {
    if (folder === home || folders.at(-1) === folder) break;
    folders.push(folder);
  }
  return folders;
}

function isCheckout(folder: string): boolean {
  const facts = statOrUndefined(join(folder, '.git'), statSync);
  if (facts?.isDirectory()) return statOrUndefined(join(folder, '.git', 'HEAD'), statSync)?.isFile() === true;
  return facts?.isFile() === true;
}

/**
 * The main checkout of a linked worktree. A worktree's `.git` file can be written by anyone, so the repository has to
 * name the worktree too: otherwise a downloaded folder could claim a trusted repository.
 */
function mainCheckoutOf(root: string): string | undefined {
  try {
    const pointer = join(root, '.git');
    const facts = lstatSync(pointer);
    // Another user of the machine may have recreated a removed worktree.
    if (!facts.isFile() || !isOwnedByUser(facts)) return undefined;
    const target = /^gitdir: (.+?)\s*$/s.exec(textOf(pointer))?.[1];
    if (target === undefined) return undefined;
    const gitDirectory = realpathSync(isAbsolute(target) ? target : resolve(root, target));
    const common = realpathSync(resolve(gitDirectory, textOf(join(gitDirectory, 'commondir')).trim()));
    if (dirname(dirname(gitDirectory)) !== common || basename(common) !== '.git') return undefined;
    const back = textOf(join(gitDirectory, 'gitdir')).trim();
    if (realpathSync(resolve(gitDirectory, back)) !== pointer) return undefined;
    return dirname(common);
  } catch {
    return undefined; // Not a worktree, or unknown to its repository: treat it as its own repository.
  }
}

/** Always true on systems without users. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function textOf(file: string): string {
  return readBoundedText(file, { maxBytes: MAX_POINTER }) ?? '';
}

export function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function statOrUndefined(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined; // Missing or inaccessible.
  }
}
