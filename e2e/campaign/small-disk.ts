/**
 * The data directory on a small file system of its own, which can be filled and made read-only. Needs the right to
 * mount; where that is missing it says why, and those faults are left out.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SIZE_MB = 768;
/** Others write meanwhile. */
const SPARE = 8 * 1024 * 1024;

export interface SmallDisk {
  /** Why there is none, in words. */
  readonly missing?: string;
  fill(): Promise<void>;
  empty(): Promise<void>;
  /** For whatever is opened from now on: what is open stays writable, as it does when a disk is remounted by force. */
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
  // Made once, while nobody writes there: the system makes nothing read-only that is being written to.
  const readOnly = `${folder}-read-only`;
  await mkdir(readOnly);
  await run('mount', ['--bind', folder, readOnly]);
  await run('mount', ['-o', 'remount,ro,bind', readOnly]);
  return {
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      const most = String(Math.max(0, bavail * bsize - SPARE));
      await run('fallocate', ['-l', most, ballast]).catch(() => undefined);
      // To the last page: the file system says when.
      await writeFile(ballast, Buffer.alloc(2 * SPARE), { flag: 'a' }).catch(() => undefined);
    },
    empty: () => rm(ballast, { force: true }),
    forbid: async () => void (await run('mount', ['--bind', readOnly, folder])),
    permit: async () => void (await run('umount', ['-l', folder])),
    /** Also what a fault in between left on top of it. */
    async dispose() {
      for (const place of [readOnly, folder])
        while (await run('mountpoint', ['-q', place]).then(yes, no)) await run('umount', ['-l', place]);
    },
  };
}
