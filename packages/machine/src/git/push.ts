/**
 * Pushes one branch (B52): first shows the commits, files and anything that looks like a secret, then sends exactly that
 * commit. Never forces; only a workspace's own branch can replace what was seen on the remote.
 */

import { type GitAnswer, withoutPasswords } from '@tugdeck/local/git';
import type {
  PushChoice,
  PushedCommit,
  PushPreview,
  PushRequest,
} from '@tugdeck/protocol/git/network-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import {
  currentBranch,
  defaultBranch,
  type Environment,
  needRemote,
  needTrust,
  networkOptions,
  remotesOf,
  shellWord,
  usualRemote,
} from './remotes.ts';
import { checkBranchName, commitOf, type Repository } from './repository.ts';
import { SCAN_FORMAT, type Scanned, scanLog } from './secret-scan.ts';
import { noRemote, online } from './sync.ts';

export interface PushPorts {
  readonly repository: Repository;
  readonly environment: Environment;
  /** The branch of a workspace, which may be overwritten on the remote, and the name of its base. */
  readonly own?: { readonly branch?: string | undefined; readonly base?: string | undefined } | undefined;
}

const MAX_COMMITS = 100;
const MAX_FILES = 200;
const SCAN = { maxBytes: 32 * 1024 * 1024, timeoutMs: 30_000 };

export async function lookAtPush(ports: PushPorts, choice: PushChoice = {}): Promise<PushPreview> {
  const { repository } = ports;
  needTrust(repository);
  const branch = choice.branch ?? (await currentBranch(repository));
  if (branch === undefined) {
    throw new CodedError('GIT_FAILED', 'No branch is checked out.', 'Create a branch, then push it.');
  }
  await checkBranchName(repository, branch);
  const commit = await commitOf(repository, `refs/heads/${branch}`);
  if (commit === undefined) throw new CodedError('GIT_FAILED', `${branch} has no commits yet.`);
  const remotes = await remotesOf(repository);
  const remote = choice.remote ?? (await usualRemote(repository, branch, remotes));
  if (remote === undefined) throw noRemote();
  needRemote(remotes, remote);
  const seen = await commitOf(repository, `refs/remotes/${remote}/${branch}`);
  const news = [commit, '--not', `--remotes=${remote}`];
  const { scanned, unchecked } = await scan(repository, news, branch);
  const behind = seen === undefined ? 0 : await count(repository, [seen, '--not', commit]);
  const mayOverwrite = behind > 0 && (await isOverwritable(ports, branch, remote));
  const ahead = await count(repository, seen === undefined ? news : [commit, '--not', seen]);
  return {
    branch,
    commit,
    remote,
    remotes,
    addresses: await addressesOf(repository, remote),
    ...(seen === undefined ? {} : { seen }),
    commits: await list(repository, seen === undefined ? news : [commit, '--not', seen]),
    ahead,
    files: scanned.files.slice(0, MAX_FILES),
    behind,
    ...(mayOverwrite && seen !== undefined ? { lost: await list(repository, [seen, '--not', commit]) } : {}),
    secrets: scanned.secrets,
    ...(unchecked === undefined ? {} : { unchecked }),
    command: ['git', 'push', remote, branch].map(shellWord).join(' '),
    ...refusal(seen === commit, behind, mayOverwrite),
  };
}

function refusal(isSame: boolean, behind: number, mayOverwrite: boolean) {
  if (isSame) return { refusal: 'The remote has these commits already.' };
  if (behind === 0 || mayOverwrite) return {};
  return { refusal: 'The remote’s branch has commits that this one lacks. Pull, merge or rebase first.' };
}

export async function push(ports: PushPorts, request: PushRequest): Promise<void> {
  const { repository, environment } = ports;
  const { branch, remote, commit, seen, overwrite = false, anyway = false } = request;
  const preview = await lookAtPush(ports, { branch, remote });
  if (preview.commit !== commit || preview.seen !== seen) throw new CodedError('GIT_CHANGED');
  if (preview.refusal !== undefined) throw new CodedError('PUSH_REJECTED', preview.refusal);
  if (preview.lost !== undefined && !overwrite) throw new CodedError('NOT_CONFIRMED');
  if (overwrite && (preview.lost === undefined || seen === undefined)) throw new CodedError('GIT_CHANGED');
  const isClean = preview.secrets.length === 0 && preview.unchecked === undefined;
  if (!isClean && !anyway) throw new CodedError('PUSH_SECRETS', preview.unchecked);
  const ref = `refs/heads/${branch}`;
  await online(repository, async (signal) => {
    const answer = await repository.step(
      [
        'push',
        '--porcelain',
        '--no-follow-tags',
        '--recurse-submodules=check',
        ...(overwrite ? [`--force-with-lease=${ref}:${seen ?? ''}`] : []),
        '--',
        remote,
        // Exactly the commit that was shown, also if an agent commits now.
        `${commit}:${ref}`,
      ],
      // With the user's hooks: Git LFS uploads its files in one.
      { ...networkOptions(environment, signal), withHooks: true, answers: [1] },
    );
    if (answer.code !== 0) throw rejection(answer);
    await followRemote(repository, branch, remote);
  });
}

/** By git's own line about the branch; without one, a hook here stopped it. */
function rejection({ stdout, stderr }: GitAnswer): CodedError {
  const [, reason] = /^!\t[^\t]*\t\[([^\n]*)/m.exec(stdout.toString('utf8')) ?? [];
  const words = withoutPasswords(stderr)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:hint|To |error: failed to push)/.test(line))
    .slice(0, 6)
    .join('\n')
    .slice(0, 600);
  if (reason === undefined) {
    return new CodedError('GIT_FAILED', words || 'Nothing was pushed.', 'Nothing was pushed.');
  }
  if (/fetch first|non-fast-forward|stale info/.test(reason)) {
    return new CodedError('PUSH_REJECTED', 'The remote’s branch has commits that were not seen here yet.');
  }
  const [, why = reason] = /\((.*)\)/.exec(reason) ?? [];
  return new CodedError(
    'PUSH_REJECTED',
    `The remote rejected the push: ${why}${words === '' ? '' : `\n${words}`}`,
    'Change what it names, then push again.',
  );
}

/** Only if the branch has no upstream yet (B8). */
async function followRemote(repository: Repository, branch: string, remote: string): Promise<void> {
  const key = `branch.${branch}.merge`;
  const { stdout } = await repository.step(['config', '--get', key], { answers: [1] });
  if (stdout.length > 0) return;
  await repository.step(['config', `branch.${branch}.remote`, remote]);
  await repository.step(['config', key, `refs/heads/${branch}`]);
}

/** A workspace's own branch, never its base or the default branch of the remote. */
async function isOverwritable(
  { repository, own }: PushPorts,
  branch: string,
  remote: string,
): Promise<boolean> {
  if (own?.branch !== branch || own.base === branch || own.base === `${remote}/${branch}`) return false;
  return !/^(?:main|master)$/.test(branch) && (await defaultBranch(repository, remote)) !== branch;
}

async function addressesOf(repository: Repository, remote: string): Promise<string[]> {
  // As the user's git rewrites them.
  const { stdout } = await repository.step(['remote', 'get-url', '--push', '--all', '--', remote]);
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  return lines.slice(0, 10).map((line) => withoutPasswords(line).slice(0, 4096));
}

async function scan(
  repository: Repository,
  revisions: readonly string[],
  branch: string,
): Promise<{ scanned: Scanned; unchecked?: string }> {
  const args = [
    ...['log', '--patch', '--cc', '--unified=0', '--no-renames', '--no-textconv', '--no-ext-diff'],
    ...['--no-color', '--no-show-signature', '--root', '--src-prefix=a/', '--dst-prefix=b/'],
    `--format=${SCAN_FORMAT}`,
  ];
  try {
    const text = await repository.readText([...args, ...revisions, '--'], SCAN);
    return { scanned: scanLog(text, branch) };
  } catch (error) {
    const isTooMuch =
      error instanceof CodedError && (error.code === 'PAYLOAD_TOO_LARGE' || error.code === 'GIT_TIMEOUT');
    if (!isTooMuch) throw error;
    return { scanned: scanLog('', branch), unchecked: 'These are too many changes to check for secrets.' };
  }
}

async function list(repository: Repository, revisions: readonly string[]): Promise<PushedCommit[]> {
  const format = '--format=%H%x00%an%x00%s';
  const args = ['log', '--no-show-signature', format, `--max-count=${MAX_COMMITS}`, ...revisions, '--'];
  const lines = (await repository.readText(args)).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [commit = '', author = '', subject = ''] = line.split('\0');
    return { commit, author: author.slice(0, 200), subject: subject.slice(0, 500) };
  });
}

async function count(repository: Repository, revisions: readonly string[]): Promise<number> {
  return Number((await repository.readText(['rev-list', '--count', ...revisions, '--'])).trim());
}
