// Builds the environment of every process that a test starts: an explicit list, never the developer's own. A test
// can thus neither read anybody's settings or keys nor reach a network.
import { delimiter, isAbsolute } from 'node:path';
import type { Sandbox } from './temp.ts';

export interface CleanEnvironmentOptions {
  /** Folders to put first on PATH, such as `claudeFolder()`. */
  readonly pathFirst?: readonly string[];
  readonly extra?: Readonly<Record<string, string>>;
}

function cleanPath(first: readonly string[]): string {
  // npm puts every node_modules/.bin on PATH; a user's shell has none of them.
  const inherited = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'));
  return [...first, ...inherited].join(delimiter);
}

/** The environment of any program under test. */
export function cleanEnvironment(
  sandbox: Pick<Sandbox, 'home' | 'temp'>,
  { pathFirst = [], extra = {} }: CleanEnvironmentOptions = {},
): Record<string, string> {
  return {
    PATH: cleanPath(pathFirst),
    HOME: sandbox.home,
    TMPDIR: sandbox.temp,
    LANG: 'C.UTF-8',
    // Nothing listens on port 9, so every attempt to leave the machine fails at once.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost,::1',
    ...extra,
  };
}

/** The same for a real claude, or for a program that starts one, using the fake model. */
export function claudeEnvironment(
  sandbox: Pick<Sandbox, 'home' | 'temp'>,
  fake: { readonly url: string },
  { pathFirst = [], extra = {} }: CleanEnvironmentOptions = {},
): Record<string, string> {
  return cleanEnvironment(sandbox, {
    pathFirst,
    extra: {
      ANTHROPIC_BASE_URL: fake.url,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
      // Tests often run as root in a container, where bypassPermissions needs it.
      IS_SANDBOX: '1',
      ...extra,
    },
  });
}
