/**
 * Network calls of git (B50): only by an act of the user in a trusted project, with the user's environment and without
 * prompts. Transports that are programs stay off, whatever the configuration says.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { commitOf, type GitOptions, type Repository } from './repository.ts';

export type Environment = Readonly<Record<string, string>>;

export interface RemoteBranch {
  readonly remote: string;
  /** Its full name in the remote repository. */
  readonly branch: string;
  /** Our copy of it. */
  readonly ref: string;
}

const NETWORK_MS = 120_000;
const CREDENTIALS = [
  /could not read (?:Username|Password)/,
  /Authentication failed/,
  /Permission denied \(/,
  /Host key verification failed/,
  /Invalid username or (?:password|token)/,
  /Support for password authentication was removed/,
  /The requested URL returned error: 40[13]/,
];

/**
 * The user's variables for ssh and credential helpers; those of git could redirect it. Nobody could answer a prompt, and
 * messages are in English, so that they can be recognized.
 */
export function networkEnvironment(environment: Environment): Record<string, string | undefined> {
  const own = Object.entries(environment).filter(
    ([name]) => !/^(?:GIT_(?!SSH)|LANGUAGE$|LC_ALL$)/.test(name),
  );
  const characters = environment.LC_ALL ?? environment.LC_CTYPE;
  return {
    ...Object.fromEntries(own),
    ...(characters === undefined ? {} : { LC_CTYPE: characters }),
    LC_ALL: undefined,
    LC_MESSAGES: 'C',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    // For the repository itself, not for one that a local transport opens.
    GIT_WORK_TREE: undefined,
  };
}

export function networkOptions(environment: Environment, signal?: AbortSignal): GitOptions {
  return { network: true, environment: networkEnvironment(environment), timeoutMs: NETWORK_MS, signal };
}

/** The error of a network call, by what the user can do about it. */
export function networkFault(error: unknown): unknown {
  if (!(error instanceof CodedError) || error.code !== 'GIT_FAILED') return error;
  if (CREDENTIALS.some((pattern) => pattern.test(error.message))) {
    return new CodedError('GIT_CREDENTIALS', error.message);
  }
  if (/transport '.*' not allowed/.test(error.message)) {
    return new CodedError(
      'GIT_UNSAFE',
      `Nothing was contacted: ${error.message}`,
      'The address of this remote runs a program. Check it with: git remote -v',
    );
  }
  return error;
}

export function needTrust(repository: Pick<Repository, 'isTrusted'>): void {
  if (repository.isTrusted) return;
  throw new CodedError(
    'GIT_UNSAFE',
    'Nothing was contacted: this project is not trusted, and its configuration can name programs.',
    'Trust the project when you open a session in it, or use git in a terminal.',
  );
}

export async function upstreamOf(repository: Repository, ref: string): Promise<RemoteBranch | undefined> {
  if (!ref.startsWith('refs/heads/')) return undefined;
  const format = '%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)';
  const text = await repository.readText(['for-each-ref', `--format=${format}`, ref]);
  const [full = '', remote = '', branch = ''] = text.trim().split('\0');
  if (!full.startsWith('refs/remotes/') || remote === '' || branch === '') return undefined;
  return { ref: full, remote, branch };
}

/** Names that no command can read as an option. */
export async function remotesOf(repository: Repository): Promise<string[]> {
  const names = (await repository.readText(['remote'])).split('\n');
  return names.filter((name) => name !== '' && !name.startsWith('-')).slice(0, 50);
}

export function needRemote(remotes: readonly string[], remote: string): void {
  if (remotes.includes(remote)) return;
  throw new CodedError('GIT_FAILED', `Remote ${remote.slice(0, 100)} not found.`);
}

/** Where git would push the branch, or fetch from. */
export async function usualRemote(
  repository: Repository,
  branch?: string,
  remotes?: readonly string[],
): Promise<string | undefined> {
  const names = remotes ?? (await remotesOf(repository));
  const pattern = '^(remote\\.pushdefault|branch\\..*\\.(remote|pushremote))$';
  const { stdout } = await repository.step(['config', '--null', '--get-regexp', pattern], { answers: [1] });
  const values = new Map(
    stdout
      .toString('utf8')
      .split('\0')
      .map((entry) => entry.split('\n', 2) as [string, string]),
  );
  const own = branch === undefined ? [] : [`branch.${branch}.pushremote`, `branch.${branch}.remote`];
  const keys = [own[0], 'remote.pushdefault', own[1]];
  for (const key of keys) {
    const value = key === undefined ? undefined : values.get(key);
    if (value !== undefined && names.includes(value)) return value;
  }
  return names.includes('origin') ? 'origin' : names[0];
}

/** The branch that HEAD names. */
export async function currentBranch(repository: Repository): Promise<string | undefined> {
  const { code, stdout } = await repository.read(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1, 128] });
  const ref = code === 0 ? stdout.toString('utf8').trim() : '';
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}

/** The remote's default branch, as far as it is known here. */
export async function defaultBranch(repository: Repository, remote: string): Promise<string | undefined> {
  const args = ['symbolic-ref', '--quiet', `refs/remotes/${remote}/HEAD`];
  const { code, stdout } = await repository.read(args, { answers: [1, 128] });
  const prefix = `refs/remotes/${remote}/`;
  const ref = code === 0 ? stdout.toString('utf8').trim() : '';
  if (ref.startsWith(prefix)) return ref.slice(prefix.length);
  for (const name of ['main', 'master']) {
    if ((await commitOf(repository, prefix + name)) !== undefined) return name;
  }
  return undefined;
}

/** For a shell. Safe words stay as they are. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
