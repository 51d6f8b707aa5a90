/** Writes a file that only its owner can read, whole or not at all: a reader never sees half of it. */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

export function writePrivate(file: string, content: string | Uint8Array): void {
  const fresh = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}
