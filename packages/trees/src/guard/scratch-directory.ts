/**
 * A private directory of this process for files that replace a repository's own. Created on first use, recreated if
 * deleted, removed when the process exits; the next process removes those of killed ones.
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
