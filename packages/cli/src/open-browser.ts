/**
 * Opens an address in the user's browser, without waiting. Having no browser is not an error, because the address is
 * printed too. Other users can read process arguments, so the browser gets the path of a private page that redirects
 * to the address (X9).
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeSignInPage } from '@tugdeck/local/sign-in-page';

export function openBrowser(url: string, directory: string, environment: NodeJS.ProcessEnv): void {
  const launchers = launchersOf(environment);
  if (launchers.length === 0) return;
  let page: string;
  try {
    page = writeSignInPage(directory, url);
  } catch {
    return; // Disk full: the printed address still works.
  }
  launch(launchers, page);
}

/** Tries the launchers in order until one starts. */
function launch([argv, ...others]: readonly (readonly string[])[], page: string): void {
  const [command, ...args] = withPage(argv ?? [], page);
  if (command === undefined) return;
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => launch(others, page));
  child.unref();
}

export function launchersOf(environment: NodeJS.ProcessEnv, platform = process.platform): string[][] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = environment;
  if (BROWSER) return commandsIn(BROWSER);
  if (platform === 'darwin') return [['open']];
  if (platform === 'win32') return [['explorer.exe']];
  return DISPLAY || WAYLAND_DISPLAY ? [['xdg-open']] : [];
}

/** `$BROWSER`: commands separated by colons, each with arguments, or the path of a program. */
function commandsIn(browser: string): string[][] {
  if (existsSync(browser)) return [[browser]];
  return browser
    .split(':')
    .map((command) => (existsSync(command) ? [command] : splitCommand(command)))
    .filter((argv) => argv.length > 0);
}

/** Splits a command like a shell, without running one: quotes group, a backslash escapes. */
function splitCommand(command: string): string[] {
  return [...command.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
    ),
  );
}

/** `%s` is the page, `%%` a percent sign, `%c` a colon; without `%s` the page is the last argument. */
export function withPage([command, ...args]: readonly string[], page: string): string[] {
  if (command === undefined) return [];
  let isPlaced = false;
  const filled = args.map((word) =>
    word.replace(/%([s%c])/g, (_, sign: string) => {
      if (sign !== 's') return sign === 'c' ? ':' : '%';
      isPlaced = true;
      return page;
    }),
  );
  return [command, ...filled, ...(isPlaced ? [] : [page])];
}
