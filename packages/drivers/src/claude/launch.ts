/**
 * Builds the agent's command line and rejects invalid combinations (A1). Our flags come last, so that the user's
 * extra ones stay in front.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SessionStart } from '../kit/port.ts';

export interface Launch {
  /** A new session with an id that we choose. */
  readonly sessionId?: string | undefined;
  /** The agent's session to resume. */
  readonly resume?: string | undefined;
  /** Continues the newest session of the directory. */
  readonly continue?: boolean | undefined;
  /** Resumes in a copy. */
  readonly fork?: boolean | undefined;
  /** Resumes only up to this message of the agent. */
  readonly at?: string | undefined;
  /** Allows switching to the mode that permits everything, without a restart (A14). */
  readonly canBypass?: boolean | undefined;
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  /** Besides the project. */
  readonly directories?: readonly string[] | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Uses only the user's own settings: no hooks, servers, rules, commands or instructions of the project (X6). */
  readonly untrusted?: boolean | undefined;
}

const BASE_FLAGS = [
  '--output-format',
  'stream-json',
  '--input-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
  '--permission-prompt-tool',
  'stdio',
  '--forward-subagent-text',
  '--include-hook-events',
] as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function launchArguments(launch: Launch): string[] {
  const ways = [launch.sessionId, launch.resume, launch.continue || undefined].filter(
    (way) => way !== undefined,
  );
  if (ways.length > 1) throw invalidLaunch('at most one of session id, resume and continue can be given');
  if (launch.fork && launch.resume === undefined && !launch.continue) {
    throw invalidLaunch('a fork needs a session to resume or continue');
  }
  if (launch.at !== undefined && launch.resume === undefined && !launch.continue) {
    throw invalidLaunch('only a resumed session has earlier messages');
  }
  if (launch.at !== undefined && !UUID.test(launch.at))
    throw invalidLaunch('the message is not one of the agent');
  if (launch.sessionId !== undefined && !UUID.test(launch.sessionId))
    throw invalidLaunch('the session id is not a uuid');
  const { directories = [], plugins = [] } = launch;
  for (const value of [launch.resume, launch.mode, launch.model, ...directories, ...plugins]) {
    // A value that looks like a flag would be parsed as one.
    if (value !== undefined && (value === '' || value.startsWith('-')))
      throw invalidLaunch(`“${value}” is not a value`);
  }
  return [
    ...BASE_FLAGS,
    ...(launch.sessionId === undefined ? [] : ['--session-id', launch.sessionId]),
    ...(launch.resume === undefined ? [] : ['--resume', launch.resume]),
    ...(launch.continue ? ['--continue'] : []),
    ...(launch.fork ? ['--fork-session'] : []),
    ...(launch.at === undefined ? [] : ['--resume-session-at', launch.at]),
    ...(launch.canBypass ? ['--allow-dangerously-skip-permissions'] : []),
    ...(launch.mode === undefined ? [] : ['--permission-mode', launch.mode]),
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...directories.flatMap((directory) => ['--add-dir', directory]),
    ...plugins.flatMap((plugin) => ['--plugin-dir', plugin]),
    ...(launch.untrusted ? ['--setting-sources', 'user'] : []),
  ];
}

function invalidLaunch(why: string): CodedError {
  return new CodedError('AGENT_UNAVAILABLE', `The agent cannot be started like this: ${why}.`);
}

/** As root, the agent refuses the flag unless it runs in a sandbox. */
export function canBypass(environment: Readonly<Record<string, string>>, uid: number | undefined): boolean {
  return uid !== 0 || environment.IS_SANDBOX === '1';
}

/** The flags for a session start. */
export function sessionFlags({
  kind,
  id,
  at,
}: SessionStart): Pick<Launch, 'sessionId' | 'resume' | 'continue' | 'fork' | 'at'> {
  switch (kind) {
    case 'new':
      return { sessionId: id };
    case 'resume':
      return { resume: id, at };
    case 'continue':
      return { continue: true, at };
    case 'fork':
      return id === '' ? { continue: true, fork: true, at } : { resume: id, fork: true, at };
  }
}
