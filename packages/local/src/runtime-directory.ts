/**
 * A short private directory for sockets, whose paths are limited to about 100 bytes. Named by user and data
 * directory, remade when wiped; one that somebody else owns or can enter is refused.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

export function runtimeDirectory(dataRoot: string, environment: NodeJS.ProcessEnv): string {
  const { uid } = userInfo();
  const name = createHash('sha256').update(resolve(dataRoot)).digest('hex').slice(0, 10);
  const base = environment.TUGDECK_RUNTIME_DIR || environment.XDG_RUNTIME_DIR || tmpdir();
  const directory = join(base, `tugdeck-${uid}-${name}`);
  makeOwn(directory, uid);
  return directory;
}

function makeOwn(directory: string, uid: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) {
    throw new Error(`${directory} belongs to somebody else; remove it or set TUGDECK_RUNTIME_DIR`);
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}
