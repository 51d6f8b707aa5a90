/** A command that does not end by itself, and a check whether it is running. */
import { commandOf } from '@tugdeck/testkit/process-facts';
import type { Sandbox } from '@tugdeck/testkit/temp';

/** No loop and no sleep: one agent refuses the one, another the other. */
export const ENDLESS = { command: 'touch started.txt && tail -f started.txt', description: 'Wait' };

export const commandRuns = (sandbox: Sandbox): boolean =>
  sandbox.strays().some((pid) => commandOf(pid).startsWith('tail\0'));
