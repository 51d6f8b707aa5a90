/** Work in a workspace, for tests that archive and restore it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export const gitIn = (directory: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A commit, staged, changed, new and ignored files, a link and an executable. */
export function work(path: string): void {
  gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
  writeFileSync(join(path, 'README.md'), 'changed\n');
  writeFileSync(join(path, 'new.txt'), 'new\n');
  mkdirSync(join(path, 'deep', 'empty'), { recursive: true });
  writeFileSync(join(path, 'deep', 'staged.txt'), 'staged\n');
  gitIn(path, 'add', 'deep/staged.txt');
  writeFileSync(join(path, 'deep', 'staged.txt'), 'changed again\n');
  writeFileSync(join(path, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(path, 'run.sh'), 0o755);
  symlinkSync('../outside', join(path, 'link'));
}

/** Everything below a folder: contents, modes of executables, links and folders; without `.git`. */
export function contents(root: string, path = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, path)).sort()) {
    if (path === '' && name === '.git') continue;
    const inside = path === '' ? name : `${path}/${name}`;
    const facts = lstatSync(join(root, inside));
    if (facts.isDirectory()) {
      found[`${inside}/`] = '';
      Object.assign(found, contents(root, inside));
    } else if (facts.isSymbolicLink()) found[inside] = `-> ${readlinkSync(join(root, inside))}`;
    else {
      const isRunnable = (facts.mode & 0o100) !== 0;
      found[inside] = `${isRunnable ? 'x' : '-'} ${readFileSync(join(root, inside)).toString('base64')}`;
    }
  }
  return found;
}

/** All that git knows about a worktree. */
export function gitState(path: string) {
  return {
    head: gitIn(path, 'rev-parse', 'HEAD'),
    branch: gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD'),
    index: gitIn(path, 'ls-files', '--stage', '-v', '-z'),
    status: gitIn(path, 'status', '--porcelain', '-z', '--ignored'),
    log: gitIn(path, 'reflog', 'show', '--format=%H %gs', 'HEAD'),
    stash: gitIn(path, 'stash', 'list'),
  };
}
