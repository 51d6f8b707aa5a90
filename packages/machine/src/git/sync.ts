/** Fetches and pulls (B50): one network call per repository at a time, which the user can stop. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { COMMIT_MS, hookEnvironment } from './commits.ts';
import {
  currentBranch,
  type Environment,
  needRemote,
  needTrust,
  networkFault,
  networkOptions,
  remotesOf,
  upstreamOf,
  usualRemote,
} from './remotes.ts';
import { commitOf, isAncestor, type Repository } from './repository.ts';

/** Network calls in progress or waiting, by the repository's common directory. */
const calls = new Map<string, Set<AbortController>>();

/** Runs without other changes to the repository in between; `stopNetwork` ends it. */
export async function online<T>(
  repository: Repository,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  needTrust(repository);
  const { commonDirectory } = repository.place;
  const own = new AbortController();
  const all = calls.get(commonDirectory) ?? new Set();
  calls.set(commonDirectory, all.add(own));
  try {
    return await repository.exclusive(() => act(own.signal));
  } catch (error) {
    throw networkFault(error);
  } finally {
    all.delete(own);
    if (all.size === 0) calls.delete(commonDirectory);
  }
}

export function stopNetwork({ place }: Repository): void {
  for (const call of calls.get(place.commonDirectory) ?? []) call.abort();
}

const FETCH = ['fetch', '--quiet', '--no-recurse-submodules'];

/** All branches of a remote. */
export async function fetchRemote(
  repository: Repository,
  environment: Environment,
  name?: string,
): Promise<void> {
  needTrust(repository);
  const remotes = await remotesOf(repository);
  const remote = name ?? (await usualRemote(repository, await currentBranch(repository), remotes));
  if (remote === undefined) throw noRemote();
  needRemote(remotes, remote);
  await online(repository, (signal) =>
    repository.step([...FETCH, '--', remote], networkOptions(environment, signal)),
  );
}

/** The current branch only moves forward; local changes that are not in the way stay. */
export async function pull(repository: Repository, environment: Environment): Promise<void> {
  needTrust(repository);
  const branch = await currentBranch(repository);
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, `refs/heads/${branch}`);
  if (!upstream || upstream.remote === '.') {
    throw new CodedError(
      'GIT_FAILED',
      branch === undefined ? 'No branch is checked out.' : 'This branch has no upstream.',
      'Switch to a branch that was pushed, or push this one.',
    );
  }
  needRemote(await remotesOf(repository), upstream.remote);
  await online(repository, async (signal) => {
    const refspec = `+${upstream.branch}:${upstream.ref}`;
    await repository.step([...FETCH, '--', upstream.remote, refspec], networkOptions(environment, signal));
    const [ours, theirs] = [await commitOf(repository, 'HEAD'), await commitOf(repository, upstream.ref)];
    if (theirs === undefined || (ours !== undefined && (await isAncestor(repository, theirs, ours)))) return;
    if (ours !== undefined && !(await isAncestor(repository, ours, theirs))) {
      throw new CodedError('BRANCH_DIVERGED');
    }
    await repository.step(['merge', '--ff-only', '--quiet', '--no-stat', theirs], {
      withHooks: true,
      timeoutMs: COMMIT_MS,
      environment: hookEnvironment(environment),
      signal,
    });
  });
}

export function noRemote(): CodedError {
  return new CodedError(
    'GIT_FAILED',
    'This repository has no remote.',
    'Add one in a terminal: git remote add origin ADDRESS',
  );
}
