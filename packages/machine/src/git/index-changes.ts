/** Stage, unstage and discard, by file and by hunk (W3). Irreversible operations need `confirmed`. */
import { relative, sep } from 'node:path';
import { removeNoFollow } from '@tugdeck/local/files/no-follow-file';
import type { GitFile } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { hunkPatch } from '@tugdeck/trees/patch';
import { findHunk } from './file-diffs.ts';
import type { Repository } from './repository.ts';

/** Paths go in NUL-separated on stdin: any number of them, and none can be read as an option. */
const PATHS = ['--pathspec-from-file=-', '--pathspec-file-nul'];
const APPLY = ['apply', '--whitespace=nowarn', '-p1'];

const nulSeparated = (paths: readonly string[]) => ({ input: paths.map((path) => `${path}\0`).join('') });

export async function stage(repository: Repository, paths: readonly string[]): Promise<void> {
  const add = (some: readonly string[]) => repository.write(['add', '--all', ...PATHS], nulSeparated(some));
  try {
    await add(paths);
  } catch (error) {
    // A name that is not UTF-8 contains a replacement character. Git cannot find it, and it must not block the other
    // files.
    const others = paths.filter((path) => !path.includes('\ufffd'));
    if (others.length === paths.length) throw error;
    if (others.length > 0) await add(others);
    const left = others.length > 0 ? ' and was skipped; the others were staged.' : '.';
    throw new CodedError(
      'GIT_FAILED',
      `A file name is not valid UTF-8${left}`,
      'Use git add in a terminal to stage it.',
    );
  }
}

export async function unstage(
  repository: Repository,
  files: readonly GitFile[],
  hasCommit: boolean,
): Promise<void> {
  // A rename is two paths in the index.
  const paths = files.flatMap(({ path, oldPath, index }) =>
    index === 'R' && oldPath !== undefined ? [path, oldPath] : [path],
  );
  const command = hasCommit ? ['restore', '--staged'] : ['rm', '--cached', '-r', '-q', '-f'];
  await repository.write([...command, ...PATHS], nulSeparated(paths));
}

export async function discard(repository: Repository, files: readonly GitFile[]): Promise<void> {
  for (const file of files) refuseDiscard(repository, file);
  const tracked = files.filter(({ work }) => work !== '?');
  if (tracked.length > 0) {
    await repository.write(
      ['restore', '--worktree', ...PATHS],
      nulSeparated(tracked.map(({ path }) => path)),
    );
  }
  for (const { path, work } of files)
    if (work === '?') await removeNoFollow({ root: repository.place.root, path });
}

function refuseDiscard(repository: Repository, { path, work, conflict, submodule }: GitFile): void {
  if (conflict)
    throw new CodedError('GIT_FAILED', "Resolve the conflict first; this file can't be discarded.");
  if (submodule) throw new CodedError('GIT_FAILED', "A submodule can't be discarded here.");
  if (work === '.') throw new CodedError('GIT_CHANGED');
  if (path.endsWith('/')) throw new CodedError('GIT_FAILED', "A folder can't be discarded as a whole.");
  const { root, project } = repository.place;
  const inside = relative(root, project).split(sep).join('/');
  if (inside !== '' && !path.startsWith(`${inside}/`)) {
    throw new CodedError('GIT_UNSAFE', "This file is outside the project and can't be discarded here.");
  }
}

export async function stageHunk(repository: Repository, file: GitFile, id: string): Promise<void> {
  const isWhole = file.work === '?' || file.work === 'D' || file.work === 'A';
  if (isWhole) return stage(repository, [file.path]);
  await applyHunk(repository, { file, side: 'unstaged' }, id, ['--cached']);
}

export async function unstageHunk(
  repository: Repository,
  file: GitFile,
  id: string,
  hasCommit: boolean,
): Promise<void> {
  if (file.index === 'A' || file.index === 'D') return unstage(repository, [file], hasCommit);
  await applyHunk(repository, { file, side: 'staged' }, id, ['--cached', '--reverse']);
}

export async function discardHunk(repository: Repository, file: GitFile, id: string): Promise<void> {
  refuseDiscard(repository, file);
  if (file.work === '?' || file.work === 'D') return discard(repository, [file]);
  await applyHunk(repository, { file, side: 'unstaged' }, id, ['--reverse']);
}

type HunkRequest = Parameters<typeof findHunk>[1];

async function applyHunk(
  repository: Repository,
  request: HunkRequest,
  id: string,
  options: string[],
): Promise<void> {
  if (request.file.conflict)
    throw new CodedError('GIT_FAILED', 'This file has conflicts. Resolve them first.');
  await repository.exclusive(async () => {
    const hunk = await findHunk(repository, request, id);
    await repository.step([...APPLY, ...options, '-'], { input: hunkPatch(request.file.path, hunk) });
  });
}
