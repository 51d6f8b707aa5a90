/**
 * Runs a program in a separate pid namespace, like a container, with the same files. It is not the first process
 * there, so processes that it leaves behind keep running and can be detected. Everything ends with the process that
 * `spawn` returns.
 */
import { spawnSync } from 'node:child_process';

export interface PidNamespaceOptions {
  /** A directory that is empty inside, so that sockets in it cannot be reached from the other side. */
  readonly hidden?: string | undefined;
}

const SCRIPT =
  '[ -z "$HIDDEN" ] || mount -t tmpfs none "$HIDDEN" || exit 1; "$@"; code=$?; [ -z "$STAYS" ] || exec sleep 600; exit $code';

/** A command line that runs `words` in a namespace; with `stays` the namespace outlives the program. */
export function inPidNamespace(
  words: readonly string[],
  { hidden = '', stays = false }: PidNamespaceOptions & { readonly stays?: boolean } = {},
): { command: string; args: string[] } {
  const shell = ['env', `HIDDEN=${hidden}`, `STAYS=${stays ? '1' : ''}`, '/bin/sh', '-c', SCRIPT, 'sh'];
  return { command: 'unshare', args: ['--pid', '--kill-child', '--mount-proc', ...shell, ...words] };
}

/** Whether this machine allows it: root, without a sandbox. */
export const canUsePidNamespaces =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--pid', '--kill-child', '--mount-proc', 'true'], { stdio: 'ignore' }).status === 0;
