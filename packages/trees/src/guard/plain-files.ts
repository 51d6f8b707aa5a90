/**
 * Refuses a repository whose `.git` contains anything but files and folders: git would wait for a pipe until its timeout,
 * on every read. Git's own timeout covers pipes created later, and those beyond the limits of this walk.
 */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface WalkPlace {
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

/** How long a result is reused: one check covers a burst of commands. */
const FRESH_MS = 2_000;
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 12;
const MAX_KNOWN = 200;
/** Directories that we don't read, nested repositories, and the socket of git's file monitor. */
const SKIPPED: ReadonlySet<string> = new Set(['hooks', 'modules', 'lfs', 'fsmonitor--daemon.ipc']);

const known = new Map<string, { readonly at: number; readonly check: Promise<string | undefined> }>();

/** Throws `GIT_UNSAFE`, which names the first such entry. */
export async function checkPlainFiles({ gitDirectory, commonDirectory }: WalkPlace): Promise<void> {
  for (const directory of new Set([gitDirectory, commonDirectory])) {
    const found = await checkOnce(directory);
    if (found === undefined) continue;
    throw new CodedError(
      'GIT_UNSAFE',
      `This repository is not read. ${found} in its .git is a pipe, a socket or a device.`,
      'Remove it in a terminal, then try again.',
    );
  }
}

function checkOnce(directory: string): Promise<string | undefined> {
  const last = known.get(directory);
  if (last && performance.now() - last.at < FRESH_MS) return last.check;
  const check = firstSpecialFile(directory);
  known.delete(directory);
  known.set(directory, { at: performance.now(), check });
  for (const [oldest] of known) if (known.size > MAX_KNOWN) known.delete(oldest);
  // A refused entry is checked again: somebody may have removed it.
  check.then(
    (found) => found !== undefined && known.delete(directory),
    () => known.delete(directory),
  );
  return check;
}

async function firstSpecialFile(top: string): Promise<string | undefined> {
  let level = [top];
  let left = MAX_ENTRIES;
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
      left -= entries.length;
      if (left < 0) return undefined;
      for (const entry of entries) {
        if (depth === 0 && SKIPPED.has(entry.name)) continue;
        const path = join(directory, entry.name);
        const kind = await kindOf(entry, path);
        if (kind === 'special') return relative(top, path);
        if (kind === 'folder') next.push(path);
      }
    }
    level = next;
  }
  return undefined;
}

/** A link counts as its target. */
async function kindOf(entry: Dirent, path: string): Promise<'file' | 'folder' | 'special'> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  const target = await stat(path).catch(() => undefined);
  if (target === undefined || target.isFile()) return 'file';
  return target.isDirectory() ? 'folder' : 'special';
}
