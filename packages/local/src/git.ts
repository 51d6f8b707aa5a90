/**
 * The one way in which we run the real `git`: an argument list (never a shell), a bounded output, a time limit, an
 * environment of its own. A repository is foreign text: a `read` must run nothing of it, so hooks, file monitors,
 * pagers, editors, lazy fetches and transports are off; what a repository's own configuration adds on top (filters,
 * merge drivers) the caller turns off with `config`. Called by the server's git and by `trees`.
 */
import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export type GitConfig = readonly (readonly [key: string, value: string])[];

export interface GitCall {
  readonly directory: string;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array | undefined;
  /** Over what every call gets; `undefined` takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly config?: GitConfig | undefined;
  /** Runs the repository's own hooks: only for the commit that the user asked for. */
  readonly withHooks?: boolean | undefined;
  /** Exit codes that are answers, not failures. */
  readonly answers?: readonly number[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_WORDS = 4_000;

/** What no call of ours wants, whoever configured it. */
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
/** Nothing goes on behind a call that has ended. */
const NO_CLEANING: GitConfig = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Nobody sits at a terminal that could be asked. Hooks inherit it, so it is no more than that. */
const PLAIN = { GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', GIT_EDITOR: ':', GIT_SEQUENCE_EDITOR: ':' };
const GUARDED = {
  ...PLAIN,
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_LITERAL_PATHSPECS: '1',
  // No transport at all: a repository could name one that runs a program, and missing objects would use it.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

/** Variables of ours that git and the programs it needs may see. */
const KEPT = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE', 'APPDATA'];

export async function git(call: GitCall): Promise<GitAnswer> {
  const answer = await run(call);
  if (answer.code === 0 || call.answers?.includes(answer.code)) return answer;
  throw new CodedError('GIT_FAILED', firstWords(answer) || `git ${call.args[0]} ended with ${answer.code}.`);
}

/** The answer as text. File names that are no UTF-8 come out with replacement marks. */
export async function gitText(call: GitCall): Promise<string> {
  return (await git(call)).stdout.toString('utf8');
}

function run(call: GitCall): Promise<GitAnswer> {
  const { directory, args, input, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = call;
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--no-pager', ...args], {
      cwd: directory,
      env: environmentOf(call),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that a hook which hangs ends with the git that called it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let failure: CodedError | undefined;
    const end = (why: CodedError) => {
      failure ??= why;
      endGroup(child.pid);
    };
    const timer = setTimeout(
      () => end(new CodedError('GIT_TIMEOUT', `git ${args[0]} did not end within ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    const stdout: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(new CodedError('PAYLOAD_TOO_LARGE', 'git has more to say than fits here.'));
      else stdout.push(chunk);
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_WORDS) stderr += chunk.toString('utf8').slice(0, MAX_WORDS);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(spawnFault(error));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (failure) reject(failure);
      else resolve({ code: code ?? -1, stdout: Buffer.concat(stdout, size), stderr });
    });
    // It may end before it has read everything; its exit code tells what became of that.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

function spawnFault(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT') return new CodedError('GIT_MISSING');
  if (error.code === 'ENOTDIR' || error.code === 'EACCES') return new CodedError('PROJECT_PATH_INVALID');
  return error;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function environmentOf({ environment = {}, config = [], withHooks = false }: GitCall): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = {};
  for (const name of KEPT) if (process.env[name] !== undefined) result[name] = process.env[name];
  Object.assign(result, withHooks ? PLAIN : GUARDED);
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  // By the environment and not by `-c`: a hostile name with a `=` in it must still be overridden.
  const all = [...(withHooks ? NO_CLEANING : ALWAYS), ...config];
  all.forEach(([key, value], index) => {
    result[`GIT_CONFIG_KEY_${index}`] = key;
    result[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  result.GIT_CONFIG_COUNT = String(all.length);
  return result;
}

/** For people: git's own words, without its prefixes, and no more than a screen line or four. */
function firstWords({ stderr, stdout }: GitAnswer): string {
  const text = stderr.trim() || stdout.subarray(0, MAX_WORDS).toString('utf8').trim();
  const lines = text.split('\n').filter((line) => !line.startsWith('hint:'));
  return lines
    .slice(0, 4)
    .map((line) => line.replace(/^(fatal|error|warning): /, ''))
    .join('\n')
    .slice(0, 600);
}
