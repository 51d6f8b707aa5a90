/** Opens an address in the user's browser, without waiting for it. Not having one is no error. */
import { spawn } from 'node:child_process';

export function openBrowser(url: string, environment: NodeJS.ProcessEnv): void {
  const [command, ...args] = launcher(environment);
  if (!command) return;
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  // The address is printed as well, so whoever has no browser here can still use it.
  child.on('error', () => undefined);
  child.unref();
}

function launcher(environment: NodeJS.ProcessEnv): string[] {
  if (environment.BROWSER) return [environment.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['explorer.exe'];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open'] : [];
}
