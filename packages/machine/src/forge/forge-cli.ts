/**
 * Runs the user's `gh` (B59): with an argument list, the project's environment and limits, in an empty folder, so that no
 * repository configures it. It keeps its tokens; only its output is read, and that passes a schema.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { absoluteFolders } from '@tugdeck/local/absolute-path';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export type Environment = Readonly<Record<string, string>>;

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** They choose the host, the account or the token. */
const OVERRIDES = [
  'GH_HOST',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_CONFIG_DIR',
];

export function overridesOf(environment: Environment): string[] {
  return OVERRIDES.filter((name) => environment[name] !== undefined);
}

export function hasTool(environment: Environment): boolean {
  return absoluteFolders(environment.PATH ?? '')
    .split(delimiter)
    .some((folder) => {
      try {
        accessSync(join(folder, 'gh'), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** `GH_HOST` is the repository's host: a project's variable can't send its pull requests elsewhere. */
export function toolEnvironment(environment: Environment, host: string, folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(
    ([name]) => !/^(?:GIT_|GH_DEBUG$|DEBUG$|GH_REPO$)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    PATH: absoluteFolders(environment.PATH ?? ''),
    GH_HOST: host,
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_PAGER: 'cat',
    GH_BROWSER: 'false',
    NO_COLOR: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
}

export interface ForgeCall {
  readonly environment: Environment;
  readonly host: string;
  readonly args: readonly string[];
  readonly input?: string | undefined;
  /** Its path follows the arguments. */
  readonly bodyFile?: string | undefined;
}

export async function forge({ environment, host, args, input = '', bodyFile }: ForgeCall): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tugdeck-gh-'));
  try {
    const file = join(folder, 'body.md');
    if (bodyFile !== undefined) await writeFile(file, bodyFile, { mode: 0o600 });
    const all = bodyFile === undefined ? args : [...args, '--body-file', file];
    return await run(all, { cwd: folder, env: toolEnvironment(environment, host, folder) }, input);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  args: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
  input: string,
): Promise<string> {
  const options = { ...place, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, killSignal: 'SIGKILL' as const };
  return new Promise((resolve, reject) => {
    const child = execFile('gh', args, options, (error, stdout, stderr) => {
      if (error) reject(faultOf(error, stderr.trim() || stdout.trim()));
      else resolve(stdout);
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function faultOf(error: Error & { code?: unknown; killed?: boolean }, words: string): CodedError {
  if (error.code === 'ENOENT') return new CodedError('FORGE_MISSING');
  if (error.killed) return new CodedError('FORGE_FAILED', `gh did not end within ${TIMEOUT_MS / 1000} s.`);
  if (/gh auth login|HTTP 401|Bad credentials|authentication token/i.test(words)) {
    return new CodedError('FORGE_SIGNED_OUT');
  }
  return new CodedError('FORGE_FAILED', words.slice(0, 600) || undefined);
}
