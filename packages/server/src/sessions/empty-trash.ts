/**
 * Takes from the disk what has been in the trash for long enough (S5): the sessions, and the trees of their turns. At the
 * start of the server and once a day, in the background.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { forgetTrees } from '@tugdeck/trees/forget-trees';
import type { SessionTable } from '../store/session-table.ts';

export async function emptyTrash(
  table: SessionTable,
  data: DataDirectory,
  { now, trashMs }: { readonly now: number; readonly trashMs: number },
): Promise<number> {
  const ids = table.empty(now - trashMs, now);
  for (const id of ids) await rm(data.session(id).root, { recursive: true, force: true });
  // By what is on the disk, so that what a server was ended over is caught up with the next time.
  const isGone = (id: string) => !existsSync(data.session(id).root);
  if (ids.length > 0) await forgetTrees({ home: data.trees, isGone });
  return ids.length;
}
