/**
 * Deletes ignored folders that programs create again, such as `node_modules`, to free disk space (B70). Each is moved
 * aside first, so that a stopped server leaves no half-deleted folder in the worktree.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkspaceSize } from '@tugdeck/protocol/workspaces/workspace';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import type { Repository } from '../git/repository.ts';
import { bytesIn, ignoredFiles } from './inspect.ts';

const ASIDE = '.tugdeck-freed-';
const FREED = /^\.tugdeck-freed-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Bytes on disk: worktree, archive, and the part of the worktree that can be freed. */
export async function sizeOf(
  { id, path, state }: StoredWorkspace,
  archive: string,
  open: () => Promise<Repository>,
): Promise<WorkspaceSize> {
  const worktree = state === 'ready' ? await open().catch(() => undefined) : undefined;
  return {
    id,
    worktree: await bytesIn(path),
    archive: await bytesIn(join(archive, id)),
    ...(worktree ? { ignored: await regeneratedBytes(worktree) } : {}),
  };
}

/** Bytes in those folders. */
async function regeneratedBytes(worktree: Repository): Promise<number> {
  const [, folders] = await ignoredFiles(worktree);
  const sizes = await Promise.all(folders.map((path) => bytesIn(join(worktree.place.root, path))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the number of bytes. */
export async function freeIgnored(worktree: Repository, { path }: StoredWorkspace): Promise<number> {
  const [, folders] = await ignoredFiles(worktree);
  let freed = 0;
  for (const folder of folders) {
    const aside = join(dirname(path), `${ASIDE}${randomUUID()}`);
    await rename(join(path, folder), aside);
    freed += await bytesIn(aside);
    await rm(aside, { recursive: true, force: true });
  }
  return freed;
}

/** Finishes what a stopped server left beside worktrees. */
export async function removeFreed(worktrees: readonly Pick<StoredWorkspace, 'path'>[]): Promise<void> {
  for (const folder of new Set(worktrees.map(({ path }) => dirname(path)))) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (FREED.test(name)) await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
