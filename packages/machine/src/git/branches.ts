/** Branches (W3): list, create, switch, delete. A branch with unmerged commits is not deleted. */
import type { GitBranch } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { records } from './records.ts';
import { checkBranchName, commitOf, type Repository } from './repository.ts';

const FIELDS = {
  ref: 'refname',
  commit: 'objectname',
  upstream: 'upstream:short',
  track: 'upstream:track,nobracket',
  time: 'committerdate:unix',
  head: 'HEAD',
  symref: 'symref',
  checkedOut: 'worktreepath',
  subject: 'contents:subject',
} as const;
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
const MAX_BRANCHES = 2_000;

export async function branches(repository: Repository): Promise<GitBranch[]> {
  const format = NAMES.map((name) => `%(${FIELDS[name]})%00`).join('');
  const text = await repository.readText([
    'for-each-ref',
    `--format=${format}`,
    '--sort=-committerdate',
    `--count=${MAX_BRANCHES}`,
    'refs/heads',
    'refs/remotes',
  ]);
  return parseBranches(text, {
    root: repository.place.root,
    worktreePath: (path) => repository.worktreePath(path),
  });
}

interface BranchPlace {
  readonly root: string;
  readonly worktreePath: (path: string) => string;
}

export function parseBranches(text: string, { root, worktreePath }: BranchPlace): GitBranch[] {
  const found: GitBranch[] = [];
  for (const record of records(text, NAMES)) {
    const { ref, commit, upstream, track, time, head, symref, checkedOut, subject } = record;
    const tree = worktreePath(checkedOut);
    // `origin/HEAD` is only an alias.
    if (symref !== '') continue;
    const full = ref.trimStart();
    const isRemote = full.startsWith('refs/remotes/');
    found.push({
      name: full.slice(isRemote ? 'refs/remotes/'.length : 'refs/heads/'.length),
      remote: isRemote,
      commit,
      ...(upstream === '' ? {} : { upstream }),
      ...(track === '' ? {} : { track }),
      at: Number(time) * 1000,
      subject,
      current: head === '*',
      ...(tree === '' || tree === root ? {} : { elsewhere: tree }),
    });
  }
  return found;
}

export async function createBranch(
  repository: Repository,
  name: string,
  from: string | undefined,
  isSwitched: boolean,
): Promise<void> {
  await checkBranchName(repository, name);
  const head = await commitOf(repository, 'HEAD');
  if (head === undefined && from === undefined) {
    // No commit yet: just set the name of the unborn branch.
    await repository.write(['symbolic-ref', 'HEAD', `refs/heads/${name}`]);
    return;
  }
  const start = from === undefined ? head : await commitOf(repository, from);
  if (start === undefined) throw new CodedError('GIT_CHANGED', 'This branch no longer exists.');
  if (await hasBranch(repository, name)) {
    throw new CodedError('GIT_FAILED', 'A branch with this name already exists.');
  }
  if (isSwitched) await repository.write(['switch', '--quiet', '--no-track', '-c', name, start]);
  else await repository.write(['branch', '--no-track', name, start]);
}

export async function switchBranch(repository: Repository, name: string, isRemote: boolean): Promise<void> {
  await checkBranchName(repository, name);
  if (!isRemote) {
    await repository.write(['switch', '--quiet', '--no-guess', name]);
    return;
  }
  const own = name.slice(name.indexOf('/') + 1);
  if (await hasBranch(repository, own)) await repository.write(['switch', '--quiet', '--no-guess', own]);
  else await repository.write(['switch', '--quiet', '-c', own, '--track', `refs/remotes/${name}`]);
}

export async function deleteBranch(repository: Repository, name: string): Promise<void> {
  await checkBranchName(repository, name);
  const found = (await branches(repository)).find((one) => one.name === name && !one.remote);
  if (!found) throw new CodedError('GIT_CHANGED', 'This branch no longer exists.');
  if (found.current || found.elsewhere !== undefined) {
    throw new CodedError('GIT_FAILED', "This branch is checked out and can't be deleted.");
  }
  const mergedInto = [found.upstream && `refs/remotes/${found.upstream}`, 'HEAD'].filter(Boolean) as string[];
  for (const other of mergedInto) {
    if ((await commitOf(repository, other)) === undefined) continue;
    const { code } = await repository.read(['merge-base', '--is-ancestor', found.commit, other], {
      answers: [1],
    });
    if (code !== 0) continue;
    // Only if it has not moved since.
    await repository.write(['update-ref', '-d', `refs/heads/${name}`, found.commit]);
    await repository.write(['config', '--remove-section', `branch.${name}`], { answers: [1, 128] });
    return;
  }
  throw new CodedError('GIT_UNMERGED', undefined, `To delete it anyway, run git branch -D ${name}.`);
}

async function hasBranch(repository: Repository, name: string): Promise<boolean> {
  const { code } = await repository.read(['show-ref', '--verify', '--quiet', `refs/heads/${name}`], {
    answers: [1],
  });
  return code === 0;
}
