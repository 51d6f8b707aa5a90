/**
 * What git says about names, without running anything of the repository's (a repository can name a program to be run as
 * its file watcher). Nothing where git is not there, or the directory is in no repository.
 */
import { spawn } from 'node:child_process';

const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Files that git knows or would take. */
export function gitFiles(root: string): Promise<string[] | undefined> {
  return names(root, ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']);
}

/** Folders of which git ignores everything, without a slash at their end. */
export async function ignoredFolders(root: string): Promise<string[] | undefined> {
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const found = await names(root, list);
  return found?.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
}

/** Those of the paths that git ignores. */
export async function ignoredOf(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  return new Set(await names(root, ['check-ignore', '-z', '--stdin'], `${paths.join('\0')}\0`));
}

function names(root: string, args: readonly string[], input?: string): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const child = spawn('git', [...SAFE, ...args], {
      cwd: root,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, GIT_OPTIONAL_LOCKS: '0' },
    });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MAX_BYTES) child.kill('SIGKILL');
      else parts.push(part);
    });
    child.on('error', () => resolve(undefined));
    // `check-ignore` ends with 1 when it has nothing to say.
    child.on('close', (code) => {
      if (code !== 0 && code !== 1) resolve(undefined);
      else resolve(Buffer.concat(parts, size).toString('utf8').split('\0').slice(0, -1));
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}
