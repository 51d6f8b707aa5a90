/**
 * The commit that a new workspace starts from (B4): the requested base, else the configured one, the remote's default
 * branch, the checkout's branch or its commit. A branch with an upstream is fetched first in a trusted project.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { PullRef } from '@tugdeck/protocol/workspaces/pull';
import { networkEnvironment, type RemoteBranch, upstreamOf } from '../git/remotes.ts';
import { commitOf, type GitOptions, isAncestor, type Repository } from '../git/repository.ts';

export interface Base {
  /** The full name of the branch that it will land on; undefined for a commit. */
  readonly ref: string | undefined;
  readonly commit: string;
  readonly note?: string | undefined;
  /** The commit is from a fork: nothing of it runs by itself, and it gets no secrets (B91). */
  readonly isForeign?: boolean;
  /** The pull request that the commit is from. */
  readonly pull?: PullRef;
}

export interface BaseChoice {
  readonly asked?: string | undefined;
  /** The configured base; `default` is the remote's default branch, `current` the checkout's. */
  readonly configured?: string | undefined;
  /** The environment for a fetch; undefined if the network must not be used. */
  readonly fetchWith?: Readonly<Record<string, string>> | undefined;
}

/** Longer than any fetch of one branch that somebody wants to wait for. */
const FETCH_MS = 10_000;

export async function resolveBase(repository: Repository, choice: BaseChoice): Promise<Base> {
  const { asked, configured = 'default', fetchWith } = choice;
  const name =
    asked ??
    (configured === 'default'
      ? ((await symbolicRef(repository, 'refs/remotes/origin/HEAD')) ?? 'HEAD')
      : configured === 'current'
        ? 'HEAD'
        : configured);
  const ref = await fullName(repository, name);
  if (ref === undefined) return { ref: undefined, commit: await needCommit(repository, name) };
  const upstream = await upstreamOf(repository, ref);
  const fetched = await fetchBranch(repository, upstream ?? (await remoteOf(repository, ref)), fetchWith);
  const note =
    fetched === false ? 'The base could not be fetched; the last known state was used.' : undefined;
  const commit = await needCommit(repository, ref);
  // A remote branch that was named is taken as it is; by default, the local branch may have newer commits.
  const local = asked === undefined && upstream === undefined ? await localOf(repository, ref) : undefined;
  const pair = upstream ? { local: ref, remote: upstream.ref } : local && { local, remote: ref };
  return pair ? newerOf(repository, pair, note) : { ref, commit, note };
}

/** Behind: the upstream's commit. Ahead: the local one. Both have own commits: the user decides. */
async function newerOf(
  repository: Repository,
  { local, remote }: { local: string; remote: string },
  note: string | undefined,
): Promise<Base> {
  const [ours, theirs] = [await commitOf(repository, local), await commitOf(repository, remote)];
  if (ours === undefined)
    return { ref: remote, commit: theirs ?? (await needCommit(repository, remote)), note };
  if (theirs === undefined) return { ref: local, commit: ours, note };
  if (await isAncestor(repository, ours, theirs)) return { ref: local, commit: theirs, note };
  if (await isAncestor(repository, theirs, ours)) return { ref: local, commit: ours, note };
  throw new CodedError(
    'BASE_DIVERGED',
    `${short(local)} and ${short(remote)} have diverged.`,
    `Choose one as the base: heads/${short(local)} or ${short(remote)}.`,
  );
}

export function short(ref: string): string {
  return ref.replace(/^refs\/(?:heads|remotes|tags)\//, '');
}

async function needCommit(repository: Repository, name: string): Promise<string> {
  const commit = await commitOf(repository, name);
  if (commit !== undefined) return commit;
  if (name === 'HEAD') {
    throw new CodedError('GIT_FAILED', 'This repository has no commit yet.', 'Commit first, then try again.');
  }
  throw new CodedError('GIT_FAILED', `${name} was not found.`, 'Choose a branch, tag or commit as the base.');
}

async function fullName(repository: Repository, name: string): Promise<string | undefined> {
  const { code, stdout } = await repository.read(
    ['rev-parse', '--verify', '--quiet', '--symbolic-full-name', '--end-of-options', name],
    { answers: [1, 128] },
  );
  const found = code === 0 ? stdout.toString('utf8').trim() : '';
  return /^refs\/(?:heads|remotes)\//.test(found) ? found : undefined;
}

async function symbolicRef(repository: Repository, name: string): Promise<string | undefined> {
  const { code, stdout } = await repository.read(['symbolic-ref', '--quiet', name], { answers: [1, 128] });
  const target = code === 0 ? stdout.toString('utf8').trim() : '';
  return target !== '' && (await commitOf(repository, target)) !== undefined ? target : undefined;
}

/** The remote branch that `refs/remotes/…` is a copy of. */
async function remoteOf(repository: Repository, ref: string): Promise<RemoteBranch | undefined> {
  if (!ref.startsWith('refs/remotes/')) return undefined;
  const remotes = (await repository.readText(['remote'])).split('\n').filter(Boolean);
  const remote = remotes.find((name) => ref.startsWith(`refs/remotes/${name}/`));
  if (remote === undefined) return undefined;
  return { ref, remote, branch: `refs/heads/${ref.slice(`refs/remotes/${remote}/`.length)}` };
}

/** The local branch that tracks a remote one. */
export async function localOf(repository: Repository, ref: string): Promise<string | undefined> {
  const text = await repository.readText([
    'for-each-ref',
    '--format=%(refname)%00%(upstream)',
    'refs/heads/',
  ]);
  const tracking = text
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([, upstream]) => upstream === ref)
    .map(([name = '']) => name);
  return tracking.length === 1
    ? tracking[0]
    : tracking.find((name) => short(ref).endsWith(`/${short(name)}`));
}

/** Undefined if there is nothing to fetch, false if it failed. */
async function fetchBranch(
  repository: Repository,
  branch: RemoteBranch | undefined,
  environment: Readonly<Record<string, string>> | undefined,
): Promise<boolean | undefined> {
  if (!branch || branch.remote === '.' || branch.remote.startsWith('-') || !environment) return undefined;
  const options: GitOptions = {
    network: true,
    environment: networkEnvironment(environment),
    timeoutMs: FETCH_MS,
  };
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  try {
    await repository.write([...args, '--', branch.remote, `+${branch.branch}:${branch.ref}`], options);
    return true;
  } catch (error) {
    // Offline, no credentials, or too slow: the last known state is used, and the user is informed.
    if (error instanceof CodedError && (error.code === 'GIT_FAILED' || error.code === 'GIT_TIMEOUT'))
      return false;
    throw error;
  }
}
