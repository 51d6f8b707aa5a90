/**
 * What is started in a new terminal, and with which environment (L9): that of the project, told which terminal it is
 * in and rid of the traces of any other. Pure but for the look at the user's shell.
 */
import { accessSync, constants } from 'node:fs';
import { platform, userInfo } from 'node:os';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';

type Environment = Readonly<Record<string, string>>;

/** Where our server was started says nothing about the terminal it opens. */
const OTHER_TERMINALS =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_SESSION_ID|TERM_PROGRAM_VERSION|VTE_VERSION|KONSOLE_.*|KITTY_.*|WEZTERM_.*|ITERM_.*|GHOSTTY_.*|ALACRITTY_.*|WT_SESSION|NO_COLOR|FORCE_COLOR|VSCODE_.*)$/;

export function terminalEnvironment(environment: Environment): Record<string, string> {
  const clean = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OTHER_TERMINALS.test(name)),
  );
  const hasLocale = Boolean(clean.LC_ALL || clean.LC_CTYPE || clean.LANG);
  return {
    ...clean,
    // Without any, programs write ? for every letter that is not English.
    ...(hasLocale ? {} : { LANG: platform() === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' }),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    TERM_PROGRAM: 'tugdeck',
  };
}

export function shellLaunch(directory: string, environment: Environment): TerminalLaunch {
  const file = [environment.SHELL, userInfo().shell, '/bin/bash', '/bin/sh'].find(isShell) ?? '/bin/sh';
  return {
    file,
    // There every terminal window is a login; elsewhere the login was the user's own.
    args: platform() === 'darwin' ? ['-l'] : [],
    directory,
    environment: { ...terminalEnvironment(environment), SHELL: file },
  };
}

/** A user that must not log in has one that only says so. */
function isShell(file: string | null | undefined): file is string {
  if (!file || /\/(nologin|false)$/.test(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
