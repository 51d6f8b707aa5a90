/**
 * Commits, and reads committed changes (W3). Only `commit` runs the repository's hooks, as the user's own git would.
 */
import type { ChangedFile, FileChange, GitCommit } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LIST_FLAGS, parseChangedFiles } from '@tugdeck/trees/changed-files';
import { PATCH_FLAGS, parsePatch, shownChange } from '@tugdeck/trees/patch';
import { records } from './records.ts';
import { commitOf, type Repository } from './repository.ts';

/** Long, because hooks run tests and linters. */
export const COMMIT_MS = 10 * 60_000;

export interface CommitRequest {
  readonly message: string;
  readonly amend?: boolean | undefined;
  /** The user's environment: hooks and signing programs need what a terminal would give them. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function commit(repository: Repository, request: CommitRequest): Promise<string> {
  const { message, amend = false } = request;
  if (message.trim() === '') throw new CodedError('INVALID_MESSAGE', 'A commit needs a message.');
  const environment = hookEnvironment(request.environment);
  const options = { input: message, withHooks: true, timeoutMs: COMMIT_MS, environment };
  try {
    await repository.write(['commit', '--quiet', '--file=-', ...(amend ? ['--amend'] : [])], options);
  } catch (error) {
    if (await lacksIdentity(repository, environment))
      throw new CodedError('GIT_FAILED', NO_IDENTITY, NO_IDENTITY_HINT);
    throw error;
  }
  const made = await commitOf(repository, 'HEAD');
  if (made === undefined) throw new CodedError('GIT_FAILED', 'The commit was not created.');
  return made;
}

/** Variables for hooks and signing programs; those of git could redirect it. */
export function hookEnvironment(
  environment: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const own = Object.entries(environment).filter(([name]) => !/^(GIT_|LC_ALL$)/.test(name));
  return { ...Object.fromEntries(own), LC_ALL: environment.LC_ALL };
}

const NO_IDENTITY = 'Nothing was committed: Git has no user name or email.';
const NO_IDENTITY_HINT =
  'In a terminal, run git config --global user.name "Your name" and git config --global user.email "you@example.com", then commit again.';

/** Git's own message is long and localized, so its exit code is used instead. */
async function lacksIdentity(
  repository: Repository,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const answer = await repository.read(['var', 'GIT_COMMITTER_IDENT'], { environment, answers: [128] });
  return answer.code !== 0;
}

const FORMAT = ['%H', '%P', '%an', '%ae', '%at', '%D', '%s', '%b'].join('%x00');
const NAMES = ['commit', 'parents', 'author', 'email', 'time', 'refs', 'subject', 'body'] as const;
const MAX_BODY = 8_000;

export interface LogRequest {
  readonly skip: number;
  readonly limit: number;
  readonly all?: boolean | undefined;
  readonly path?: string | undefined;
}

/** Reads one more than requested to find out whether older commits exist. */
export async function log(
  repository: Repository,
  { skip, limit, all = false, path }: LogRequest,
): Promise<{ commits: GitCommit[]; more: boolean }> {
  if ((await commitOf(repository, 'HEAD')) === undefined) return { commits: [], more: false };
  const text = await repository.readText([
    'log',
    '-z',
    '--no-color',
    '--no-show-signature',
    '--no-ext-diff',
    '--no-textconv',
    '--decorate=short',
    '--topo-order',
    `--format=${FORMAT}`,
    `--skip=${skip}`,
    `--max-count=${limit + 1}`,
    ...(all ? ['--branches', '--remotes', '--tags'] : []),
    'HEAD',
    '--',
    ...(path === undefined ? [] : [path]),
  ]);
  const commits = parseLog(text);
  return { commits: commits.slice(0, limit), more: commits.length > limit };
}

export function parseLog(text: string): GitCommit[] {
  return records(text, NAMES).map(({ commit, parents, author, email, time, refs, subject, body }) => ({
    commit,
    parents: parents.split(' ').filter(Boolean),
    author,
    email,
    at: Number(time) * 1000,
    refs: refs.split(', ').filter(Boolean),
    subject,
    body: body.trim().slice(0, MAX_BODY),
  }));
}

export async function commitFiles(repository: Repository, commit: string): Promise<ChangedFile[]> {
  const text = await repository.readText([
    'diff-tree',
    ...LIST_FLAGS,
    ...(await between(repository, commit)),
  ]);
  return parseChangedFiles(text).map(({ before: _before, after: _after, ...file }) => file);
}

export async function commitDiff(
  repository: Repository,
  commit: string,
  path: string,
  isWhole?: boolean,
): Promise<FileChange> {
  const files = await commitFiles(repository, commit);
  const file = files.find((one) => one.path === path);
  if (!file) throw new CodedError('GIT_CHANGED');
  const names = file.oldPath === undefined ? [path] : [path, file.oldPath];
  const trees = await between(repository, commit);
  const { stdout } = await repository.read([
    'diff-tree',
    '-r',
    '--find-renames=50%',
    ...PATCH_FLAGS,
    ...trees,
    '--',
    ...names,
  ]);
  const [patch] = parsePatch(stdout);
  if (!patch) return { path, state: file.state, hunks: [] };
  return shownChange(patch, { path, oldPath: file.oldPath, isWhole });
}

/** The commit and its first parent; the empty tree for a root commit. */
async function between(repository: Repository, commit: string): Promise<[string, string]> {
  const own = await commitOf(repository, commit);
  if (own === undefined) throw new CodedError('GIT_CHANGED', 'This commit no longer exists.');
  const parent = await commitOf(repository, `${own}^1`);
  return [parent ?? (await emptyTree(repository)), own];
}

async function emptyTree(repository: Repository): Promise<string> {
  return (await repository.readText(['hash-object', '-t', 'tree', '--stdin'])).trim();
}
