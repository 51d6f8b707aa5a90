/** The user's tmux sessions and how to attach to one (W1). Does not start a tmux server. */
import { execFile } from 'node:child_process';
import type { TmuxSessions } from '@tugdeck/protocol/terminal/terminal-feed';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { terminalEnvironment } from './shell-launch.ts';

type Environment = Readonly<Record<string, string>>;

const FORMAT = '#{session_windows}\t#{session_attached}\t#{session_name}';
const TIMEOUT_MS = 2_000;
const MAX_SESSIONS = 100;

export function tmuxSessions(directory: string, environment: Environment): Promise<TmuxSessions> {
  return new Promise((resolve) => {
    const options = { cwd: directory, env: terminalEnvironment(environment), timeout: TIMEOUT_MS };
    execFile('tmux', ['list-sessions', '-F', FORMAT], options, (error, stdout) => {
      // Without a running server, tmux exits with 1 and has no sessions.
      const available = (error as NodeJS.ErrnoException | null)?.code !== 'ENOENT';
      resolve({ available, sessions: error ? [] : parseSessions(stdout) });
    });
  });
}

export function parseSessions(text: string): TmuxSessions['sessions'] {
  return text
    .split('\n')
    .map((line) => /^(\d+)\t(\d+)\t(.+)$/.exec(line))
    .filter((match) => match !== null)
    .slice(0, MAX_SESSIONS)
    .map(([, windows, attached, name]) => ({
      name: name ?? '',
      windows: Number(windows),
      attached: Number(attached) > 0,
    }));
}

export async function tmuxLaunch(
  name: string,
  directory: string,
  environment: Environment,
): Promise<TerminalLaunch> {
  const { sessions } = await tmuxSessions(directory, environment);
  if (!sessions.some((session) => session.name === name)) {
    throw new CodedError('TERMINAL_UNAVAILABLE', 'This tmux session no longer exists.');
  }
  return {
    file: 'tmux',
    // `=`: exact name, not a prefix.
    args: ['attach-session', '-t', `=${name}`],
    directory,
    environment: terminalEnvironment(environment),
  };
}
