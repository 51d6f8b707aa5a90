/** Lets a background program report once to the process that started it that it is ready, or why it is not. */
import { closeSync, writeSync } from 'node:fs';
import type { HostReady } from './host-config.ts';

/** The descriptor that the starter listens on. */
const READY = 3;

export function reportReady(ready: HostReady): void {
  try {
    writeSync(READY, `${JSON.stringify(ready)}\n`);
    closeSync(READY);
  } catch (error) {
    // Started by hand, or the starter is gone: the ledger has the address.
    if (!['EBADF', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
