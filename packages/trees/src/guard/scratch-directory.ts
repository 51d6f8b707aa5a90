/**
 * A private directory of this process for what git is given instead of a repository's own files. Made when first needed,
 * made again when somebody cleaned it away, removed when the process ends; those of processes that were killed are
 * removed by the next one.
 */
import { existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const NAME = /^tugdeck-git-(\d+)-\w+$/;

let made: string | undefined;

export function scratchDirectory(): string {
  if (made !== undefined && existsSync(made)) return made;
  if (made === undefined) process.once('exit', () => made && rmSync(made, { recursive: true, force: true }));
  const base = realpathSync(tmpdir());
  removeLeftOver(base);
  made = mkdtempSync(join(base, `tugdeck-git-${process.pid}-`));
  return made;
}

function removeLeftOver(base: string): void {
  const { uid } = userInfo();
  for (const name of readdirSync(base)) {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid === 0 || pid === process.pid || isAlive(pid)) continue;
    const path = join(base, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isDirectory() && facts.uid === uid) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
