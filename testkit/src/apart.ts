/**
 * Runs a program in a pid namespace of its own, as a container does, over the same files. It is not the first process
 * there, so what it leaves behind lives on and is seen. Everything ends with the process that is returned by `spawn`.
 */
import { spawnSync } from 'node:child_process';

export interface ApartOptions {
  /** A directory that is empty in there: its sockets cannot be reached from outside, nor those of outside from there. */
  readonly hidden?: string | undefined;
}

const SCRIPT =
  '[ -z "$HIDDEN" ] || mount -t tmpfs none "$HIDDEN" || exit 1; "$@"; code=$?; [ -z "$STAYS" ] || exec sleep 600; exit $code';

/** The words of a command line that runs `words` apart; with `stays` the namespace outlives the program. */
export function apart(
  words: readonly string[],
  { hidden = '', stays = false }: ApartOptions & { readonly stays?: boolean } = {},
): { command: string; args: string[] } {
  const shell = ['env', `HIDDEN=${hidden}`, `STAYS=${stays ? '1' : ''}`, '/bin/sh', '-c', SCRIPT, 'sh'];
  return { command: 'unshare', args: ['--pid', '--kill-child', '--mount-proc', ...shell, ...words] };
}

/** Whether this machine lets us: root, and no sandbox around. */
export const canRunApart =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--pid', '--kill-child', '--mount-proc', 'true'], { stdio: 'ignore' }).status === 0;
