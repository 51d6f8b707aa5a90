/**
 * Starts every `git` process: with an argument list (never a shell), a controlled environment, and limits on output,
 * time and memory. A repository is untrusted: a `read` must not run its code, so hooks, file monitors, pagers,
 * editors, lazy fetches and transports are off; `trees/guard` hides the repository's configuration from git. Used by
 * the server's git and by `trees`.
 */
import { devNull } from 'node:os';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { absoluteFolders } from './absolute-path.ts';
import { limitMemory, spawnLimited } from './limited-process.ts';

export type GitConfig = readonly (readonly [key: string, value: string])[];

export interface GitCall {
  readonly directory: string;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  /** Added to the default environment; `undefined` removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly config?: GitConfig | undefined;
  /** Runs the repository's hooks: only for a commit that the user requested. */
  readonly withHooks?: boolean | undefined;
  /**
   * May contact the remotes that the repository names (B50). Only by the user's act in a trusted project: its
   * configuration can name programs. Transports that are programs stay off.
   */
  readonly network?: boolean | undefined;
  /** Stops the call. */
  readonly signal?: AbortSignal | undefined;
  /** Exit codes that are valid answers, not failures. */
  readonly answers?: readonly number[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Limit per process; none with hooks, because hooks run compilers and tests. */
  readonly maxMemory?: number | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_WORDS = 4_000;
/**
 * A status of 50,000 files takes 15 MB and threads reserve 160 MB; the rest is for large files and long histories.
 */
const MAX_MEMORY = 1024 * 1024 * 1024;

/** Settings for every call, whatever the user or repository configured. */
const ALWAYS: GitConfig = [
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['color.ui', 'false'],
  ['core.quotePath', 'true'],
  ['diff.external', ''],
  ['diff.suppressBlankEmpty', 'false'],
  ['log.showSignature', 'false'],
  ['blame.ignoreRevsFile', ''],
  ['apply.ignoreWhitespace', 'no'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['core.hooksPath', devNull],
];
/** Prevents background maintenance that would outlive the call. */
const NO_CLEANING: GitConfig = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** No user is present to answer prompts. Hooks inherit this, so it sets nothing else. */
const PLAIN = { GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', GIT_EDITOR: ':', GIT_SEQUENCE_EDITOR: ':' };
const GUARDED = {
  ...PLAIN,
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_LITERAL_PATHSPECS: '1',
  // No transports: a repository could configure one that runs a program, and missing objects would use it.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

/** The transports of a network call; `ext` and other helpers would run programs. */
const TRANSPORTS = 'https:http:ssh:git:file';

/** Our environment variables that git and its helper programs may see. */
const KEPT = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE', 'APPDATA'];

/** Time for a stopped network call to remove its lock files. */
const END_MS = 2_000;
/** A connection that ssh keeps open holds git's output open too. */
const REST_MS = 1_000;

/** The exit code of a shell that cannot find the program. */
const NOT_FOUND = 127;
const OUT_OF_MEMORY = /out of memory|cannot allocate memory|unable to create threaded/i;

export async function git(call: GitCall): Promise<GitAnswer> {
  const answer = await run(call);
  if (answer.code === 0 || call.answers?.includes(answer.code)) return answer;
  if (answer.code === NOT_FOUND && /not found/i.test(answer.stderr)) throw new CodedError('GIT_MISSING');
  if (OUT_OF_MEMORY.test(answer.stderr)) throw tooMuchMemory();
  throw new CodedError(
    'GIT_FAILED',
    withoutPasswords(firstWords(answer)) || `git ${call.args[0]} ended with ${answer.code}.`,
  );
}

/** The output as text. File names that are not UTF-8 contain replacement characters. */
export async function gitText(call: GitCall): Promise<string> {
  return (await git(call)).stdout.toString('utf8');
}

function run(call: GitCall): Promise<GitAnswer> {
  const { directory, args, input, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal } = call;
  if (signal?.aborted) return Promise.reject(stopped(args));
  const maxMemory = call.withHooks ? undefined : (call.maxMemory ?? MAX_MEMORY);
  return new Promise((resolve, reject) => {
    const child = spawnLimited('git', ['--no-pager', ...args], maxMemory, {
      cwd: directory,
      env: environmentOf(call),
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a separate process group, so that a hanging hook ends with the git that called it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let failure: CodedError | undefined;
    let ending: NodeJS.Timeout | undefined;
    const end = (why: CodedError) => {
      failure ??= why;
      if (!call.network) return endGroup(child.pid);
      endGroup(child.pid, 'SIGTERM');
      ending ??= setTimeout(() => endGroup(child.pid), END_MS);
    };
    const stop = () => end(stopped(args));
    signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(
      () => end(new CodedError('GIT_TIMEOUT', `git ${args[0]} did not end within ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    const unlimit = limitMemory(child, maxMemory, () => end(tooMuchMemory()));
    const stdout: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(new CodedError('PAYLOAD_TOO_LARGE', 'Git’s output is too large.'));
      else stdout.push(chunk);
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_WORDS) stderr += chunk.toString('utf8').slice(0, MAX_WORDS);
    });
    const release = () => {
      clearTimeout(timer);
      clearTimeout(ending);
      signal?.removeEventListener('abort', stop);
      unlimit();
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      release();
      reject(spawnFault(error));
    });
    if (call.network) {
      child.on('exit', () => {
        const rest = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, REST_MS);
        child.on('close', () => clearTimeout(rest));
      });
    }
    child.on('close', (code) => {
      release();
      if (failure) reject(failure);
      else resolve({ code: code ?? -1, stdout: Buffer.concat(stdout, size), stderr });
    });
    // Git may exit before it has read everything; its exit code reports the outcome.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

function stopped([command = '']: readonly string[]): CodedError {
  return new CodedError('GIT_STOPPED', `git ${command} was stopped.`);
}

function tooMuchMemory(): CodedError {
  return new CodedError(
    'GIT_FAILED',
    'git exceeded its memory limit and was stopped.',
    'A file in the repository may be very large or a link to a device. Run git in a terminal to check.',
  );
}

function spawnFault(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT') return new CodedError('GIT_MISSING');
  if (error.code === 'ENOTDIR' || error.code === 'EACCES') return new CodedError('PROJECT_PATH_INVALID');
  return error;
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function environmentOf(call: GitCall): NodeJS.ProcessEnv {
  const { environment = {}, config = [], withHooks = false, network = false } = call;
  const result: NodeJS.ProcessEnv = {};
  for (const name of KEPT) if (process.env[name] !== undefined) result[name] = process.env[name];
  Object.assign(result, withHooks ? PLAIN : GUARDED);
  if (network) result.GIT_ALLOW_PROTOCOL = TRANSPORTS;
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  result.PATH = absoluteFolders(result.PATH ?? '');
  // In the environment and not with `-c`, which cannot override a key that contains `=`.
  const all = [...(withHooks ? NO_CLEANING : ALWAYS), ...config];
  all.forEach(([key, value], index) => {
    result[`GIT_CONFIG_KEY_${index}`] = key;
    result[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  result.GIT_CONFIG_COUNT = String(all.length);
  return result;
}

/** Names and passwords in addresses; the user name of ssh stays. */
const PASSWORDS = /(\b(?!ssh:\/\/[^:/\s]*@)[a-z][a-z0-9+.-]*:\/\/)[^/\s@'"]*@/gi;

/** The first lines of git's message, without prefixes, for the user. */
function firstWords({ stderr, stdout }: GitAnswer): string {
  const text = stderr.trim() || stdout.subarray(0, MAX_WORDS).toString('utf8').trim();
  const lines = text.split('\n').filter((line) => !line.startsWith('hint:'));
  return lines
    .slice(0, 4)
    .map((line) => line.replace(/^(fatal|error|warning): /, ''))
    .join('\n')
    .slice(0, 600);
}

export function withoutPasswords(text: string): string {
  return text.replace(PASSWORDS, '$1');
}
