/**
 * Finds which repository a project belongs to and which folders agents read configuration from, by looking for `.git`
 * itself: running git would run the repository's programs. Synchronous, because it is asked just before a start.
 */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';

export interface ProjectPlace {
  /** The project's directory, links resolved. */
  readonly directory: string;
  /** The top of its checkout; the directory itself outside of git. */
  readonly root: string;
  /** The top of the main checkout: the trust of all its worktrees is kept under this path. */
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
 * Agents look further up than the repository's root: one takes servers from every `.mcp.json` up to `/`. The user's home
 * ends it, because the configuration there is the user's own.
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
 * The main checkout of a linked worktree. `.git` of a worktree is a file that anybody can write, so the repository has to
 * name the worktree too: otherwise a downloaded folder could claim somebody's trusted repository as its own.
 */
function mainCheckoutOf(root: string): string | undefined {
  try {
    const pointer = join(root, '.git');
    const facts = lstatSync(pointer);
    // A worktree that was removed may have been made anew by another user of the machine.
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
    return undefined; // Not a worktree, or not one that its repository knows: a repository of its own.
  }
}

/** Always, where the system has no users. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function textOf(file: string): string {
  return readBoundedText(file, { maxBytes: MAX_POINTER }) ?? '';
}

function realpathOr(path: string): string {
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
    return undefined; // Nothing there, or nothing that may be looked at.
  }
}
