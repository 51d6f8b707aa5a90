/**
 * The files of a project as relative paths with `/`: what git would list where it is a repository (so its ignore
 * rules hold), else a walk that leaves out what nobody means. Links are not followed. Bounded.
 */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const MAX_FILES = 100_000;
const MAX_DEPTH = 24;
const LEFT_OUT = new Set(['.git', 'node_modules', '.hg', '.svn', '.DS_Store']);
const GIT_MS = 5_000;
const GIT_BYTES = 32 * 1024 * 1024;
const run = promisify(execFile);

export async function listFiles(root: string): Promise<readonly string[]> {
  return (await gitFiles(root)) ?? walk(root);
}

/** Nothing where git is not there or the directory is not a repository. */
async function gitFiles(root: string): Promise<string[] | undefined> {
  // A repository can name a program to be run as its file watcher: listing must run nothing of the project's.
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
  try {
    const { stdout } = await run('git', [...safe, ...list], {
      cwd: root,
      timeout: GIT_MS,
      maxBuffer: GIT_BYTES,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, GIT_OPTIONAL_LOCKS: '0' },
    });
    const paths = stdout.split('\0').filter((path) => path !== '' && !isLeftOut(path));
    return paths.slice(0, MAX_FILES);
  } catch {
    // No repository, no git, or too much of it: the walk answers.
    return undefined;
  }
}

function isLeftOut(path: string): boolean {
  return path.split('/').some((part) => LEFT_OUT.has(part));
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = [];
  let level = [''];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (found.length + next.length >= MAX_FILES) return found;
      for (const entry of await entriesOf(join(root, folder))) {
        if (LEFT_OUT.has(entry.name)) continue;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) next.push(path);
        else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
      }
    }
    level = next;
  }
  return found.slice(0, MAX_FILES);
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Not readable, or gone since: it has nothing to offer.
    return [];
  }
}
