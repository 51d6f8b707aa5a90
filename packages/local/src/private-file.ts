/** Writes a file atomically, readable by its owner only. */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

export function writePrivate(file: string, content: string | Uint8Array): void {
  const fresh = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}
