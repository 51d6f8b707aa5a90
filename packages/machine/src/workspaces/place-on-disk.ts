/** Where a new worktree is created: outside the project (B10), in a folder of its repository. */
import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { freeName } from '@tugdeck/protocol/workspaces/names';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';

/** The folder for all worktrees of a repository. */
export async function worktreeHome(
  worktrees: string,
  { root, commonDirectory }: { readonly root: string; readonly commonDirectory: string },
): Promise<string> {
  const hash = createHash('sha256').update(commonDirectory).digest('hex').slice(0, 8);
  const home = join(worktrees, `${basename(root)}-${hash}`);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return realpath(home);
}

/** A path in it that no other workspace has. */
export function freePath(folder: string, slug: string, others: readonly StoredWorkspace[]): string {
  const taken = others.map(({ path }) => path).filter((path) => path.startsWith(folder + sep));
  const names = taken.map((path) => basename(path));
  return join(folder, freeName(slug, names));
}
