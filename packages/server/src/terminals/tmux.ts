/** The user's tmux sessions, as tmux tells them, and how to attach to one (W1). Starts no tmux server. */
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
      // No server runs: then it says so and leaves with 1; there are just no sessions.
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
    throw new CodedError('TERMINAL_UNAVAILABLE', 'There is no tmux session of this name any more.');
  }
  return {
    file: 'tmux',
    // `=`: this very name, not one that begins like it.
    args: ['attach-session', '-t', `=${name}`],
    directory,
    environment: terminalEnvironment(environment),
  };
}
