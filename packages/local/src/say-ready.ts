/** How a program that was started in the background tells its starter once that it serves, or why it does not. */
import { closeSync, writeSync } from 'node:fs';
import type { HostReady } from './host-config.ts';

/** The descriptor that the starter listens on. */
const READY = 3;

export function sayReady(ready: HostReady): void {
  try {
    writeSync(READY, `${JSON.stringify(ready)}\n`);
    closeSync(READY);
  } catch (error) {
    // Started by hand, or the starter is gone already: the ledger says where we are.
    if (!['EBADF', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
