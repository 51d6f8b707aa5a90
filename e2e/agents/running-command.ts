/** A command that does not end by itself, and a check whether it is running. */
import { readFileSync } from 'node:fs';
import type { Sandbox } from '@tugdeck/testkit/temp';

/** No loop and no sleep: one agent refuses the one, another the other. */
export const ENDLESS = { command: 'touch started.txt && tail -f started.txt', description: 'Wait' };

export const commandRuns = (sandbox: Sandbox): boolean =>
  sandbox.strays().some((pid) => commandOf(pid).startsWith('tail\0'));

/** The command line of a process; empty if it has just exited. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
