/**
 * The program of a new terminal and its environment (L9): the project's, with our terminal type and without traces of
 * other terminals. Pure apart from looking up the user's shell.
 */
import { accessSync, constants } from 'node:fs';
import { platform, userInfo } from 'node:os';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';

type Environment = Readonly<Record<string, string>>;

/** The terminal that started our server says nothing about the one it opens. */
const OTHER_TERMINALS =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_SESSION_ID|TERM_PROGRAM_VERSION|VTE_VERSION|KONSOLE_.*|KITTY_.*|WEZTERM_.*|ITERM_.*|GHOSTTY_.*|ALACRITTY_.*|WT_SESSION|NO_COLOR|FORCE_COLOR|VSCODE_.*)$/;

export function terminalEnvironment(environment: Environment): Record<string, string> {
  const clean = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OTHER_TERMINALS.test(name)),
  );
  const hasLocale = Boolean(clean.LC_ALL || clean.LC_CTYPE || clean.LANG);
  return {
    ...clean,
    // Without a locale, programs print ? for non-ASCII characters.
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
    // On macOS every terminal window is a login shell.
    args: platform() === 'darwin' ? ['-l'] : [],
    directory,
    environment: { ...terminalEnvironment(environment), SHELL: file },
  };
}

/** Accounts without login have a shell that only prints a message. */
function isShell(file: string | null | undefined): file is string {
  if (!file || /\/(nologin|false)$/.test(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
