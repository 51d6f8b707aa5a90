/**
 * The data directory on a small separate file system that can be filled and made read-only. Needs permission to mount;
 * without it, `reason` says why, and those faults are skipped.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SIZE_MB = 768;
/** Retries, because others write at the same time. */
const SPARE = 8 * 1024 * 1024;

export interface SmallDisk {
  /** Why there is none, as text. */
  readonly missing?: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  /** For files opened from now on. Open files stay writable, as after a forced remount. */
  forbid(): Promise<void>;
  permit(): Promise<void>;
  dispose(): Promise<void>;
}

const yes = () => true;
const no = () => false;

/** Nothing to fill, and why. */
export function noDisk(missing: string): SmallDisk {
  const nothing = async () => undefined;
  return { missing, fill: nothing, empty: nothing, forbid: nothing, permit: nothing, dispose: nothing };
}

export async function mountSmallDisk(folder: string, sizeMb = SIZE_MB): Promise<SmallDisk> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0700`, 'tmpfs', folder]);
  } catch (error) {
    return noDisk(`nothing can be mounted here (${String((error as Error).message).split('\n')[0]})`);
  }
  const ballast = join(folder, 'ballast');
  // Created once, before anything is written: the system refuses to make a busy mount read-only.
  const readOnly = `${folder}-read-only`;
  await mkdir(readOnly);
  await run('mount', ['--bind', folder, readOnly]);
  await run('mount', ['-o', 'remount,ro,bind', readOnly]);
  return {
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      const most = String(Math.max(0, bavail * bsize - SPARE));
      await run('fallocate', ['-l', most, ballast]).catch(() => undefined);
      // Until the file system reports that it is full.
      await writeFile(ballast, Buffer.alloc(2 * SPARE), { flag: 'a' }).catch(() => undefined);
    },
    empty: () => rm(ballast, { force: true }),
    forbid: async () => void (await run('mount', ['--bind', readOnly, folder])),
    permit: async () => void (await run('umount', ['-l', folder])),
    /** Also removes what a fault left on top of it. */
    async dispose() {
      for (const place of [readOnly, folder])
        while (await run('mountpoint', ['-q', place]).then(yes, no)) await run('umount', ['-l', place]);
    },
  };
}
