/**
 * The agent's command line, built in one place that refuses impossible combinations (A1). Flags are those
 * that the measured reference found necessary; our own come last, so that a user's extra ones stay in front.
 */
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface Launch {
  /** A new session under an id that we choose. */
  readonly sessionId?: string | undefined;
  /** The agent's own session to go on with. */
  readonly resume?: string | undefined;
  /** The newest of the directory. */
  readonly continue?: boolean | undefined;
  /** Go on in a copy; needs something to copy. */
  readonly fork?: boolean | undefined;
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
}

const ALWAYS = [
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
] as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function launchArguments(launch: Launch): string[] {
  const ways = [launch.sessionId, launch.resume, launch.continue || undefined].filter(
    (way) => way !== undefined,
  );
  if (ways.length > 1) throw refused('at most one of session id, resume and continue can be given');
  if (launch.fork && launch.resume === undefined && !launch.continue) {
    throw refused('a fork needs a session to resume or continue');
  }
  if (launch.sessionId !== undefined && !UUID.test(launch.sessionId))
    throw refused('the session id is no uuid');
  for (const value of [launch.resume, launch.mode, launch.model]) {
    // A value that looks like a flag would be read as one.
    if (value !== undefined && (value === '' || value.startsWith('-')))
      throw refused(`“${value}” is no value`);
  }
  return [
    ...ALWAYS,
    ...(launch.sessionId === undefined ? [] : ['--session-id', launch.sessionId]),
    ...(launch.resume === undefined ? [] : ['--resume', launch.resume]),
    ...(launch.continue ? ['--continue'] : []),
    ...(launch.fork ? ['--fork-session'] : []),
    ...(launch.mode === undefined ? [] : ['--permission-mode', launch.mode]),
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
  ];
}

function refused(why: string): CodedError {
  return new CodedError('AGENT_UNAVAILABLE', `The agent cannot be started like this: ${why}.`);
}
