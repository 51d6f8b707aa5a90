/**
 * Ends the agent when its host is gone, even after SIGKILL (H12): a POSIX shell reads a pipe that only the host holds
 * open. When the pipe closes, the shell kills the agent's process group and every process that carries the host's
 * mark. It runs in a separate session, carries no mark, and is restarted if it dies.
 */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Log } from '@tugdeck/local/log';
import { MARK } from '@tugdeck/local/process-ending';

/** Process name shown by `ps`. */
export const WATCHDOG = 'tugdeck-watchdog';
/** Limit for machines on which the shell cannot stay alive. */
const MAX_STARTS = 100;

/**
 * Input lines: `mark M` once, `group G` for each agent (0: none runs), `dismiss`. The host has proven that `$group`
 * is ours; other groups are proven by the mark in a member's environment. Exits after two scans without a match.
 */
const SCRIPT = `# ${WATCHDOG}: ends an agent whose session host is gone
mark= group=0
while read -r word value; do
  case $word in
    mark) mark=$value ;;
    group) group=$value ;;
    dismiss) exit 0 ;;
  esac
done
[ -n "$mark" ] || exit 0
[ "$group" -gt 1 ] && kill -KILL "-$group" 2>/dev/null
marked() {
  if [ -r /proc/self/environ ]; then
    for file in $(grep -ls "${MARK}=$mark" /proc/[0-9]*/environ 2>/dev/null); do
      pid=\${file#/proc/}; pid=\${pid%/environ}
      read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
      set -- \${stat##*) }
      [ "$1" = Z ] || echo "$pid $3"
    done
  else
    ps -axeww -o pid=,pgid=,command= | while read -r pid pgid words; do
      case " $words " in *" ${MARK}=$mark "*) echo "$pid $pgid" ;; esac
    done
  fi
}
clear=0 looks=0
while [ $clear -lt 2 ] && [ $looks -lt 500 ]; do
  looks=$((looks + 1))
  found=$(marked)
  if [ -z "$found" ]; then
    clear=$((clear + 1))
  else
    clear=0
    echo "$found" | while read -r pid pgid; do
      kill -KILL "$pid" 2>/dev/null
      [ "$pgid" -gt 1 ] && kill -KILL "-$pgid" 2>/dev/null
    done
  fi
done
exit 0
`;

export interface Watchdog {
  /** Sets the agent's process group; 0 if no agent runs. */
  watch(group: number): void;
  /** The host is shutting down cleanly; the watchdog exits. */
  dismiss(): void;
}

export function startWatchdog(mark: string, log: Log): Watchdog {
  let group = 0;
  let isDismissed = false;
  let starts = 0;
  let input: Writable | undefined;

  function start(): void {
    starts += 1;
    const shell = spawn('/bin/sh', ['-c', SCRIPT, WATCHDOG], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      // A separate process group, so that signals to the host's terminal or group do not end it.
      detached: true,
    });
    const again = (): void => {
      if (input !== shell.stdin) return;
      input = undefined;
      if (isDismissed || starts >= MAX_STARTS) return;
      log.warn('the watchdog ended and is started again');
      start();
    };
    input = shell.stdin;
    // EPIPE: the exit event follows.
    shell.stdin.on('error', () => undefined);
    shell.once('error', again);
    shell.once('exit', again);
    shell.unref();
    shell.stdin.write(`mark ${mark}\ngroup ${group}\n`);
  }

  start();
  return {
    watch(next) {
      group = next;
      input?.write(`group ${group}\n`);
    },
    dismiss() {
      isDismissed = true;
      input?.end('dismiss\n');
    },
  };
}
