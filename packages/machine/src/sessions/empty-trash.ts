/**
 * Permanently deletes sessions that have been in the trash long enough, with their turn trees (S5). Runs at startup
 * and once a day.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { SessionTable } from '@tugdeck/store/session-table';
import { forgetTrees } from '@tugdeck/trees/forget-trees';

export async function emptyTrash(
  table: SessionTable,
  data: DataDirectory,
  { now, trashMs }: { readonly now: number; readonly trashMs: number },
): Promise<number> {
  const ids = table.empty(now - trashMs, now);
  for (const id of ids) await rm(data.session(id).root, { recursive: true, force: true });
  // Decided by what is on disk, so that an interrupted run is completed by the next.
  const isGone = (id: string) => !existsSync(data.session(id).root);
  if (ids.length > 0) await forgetTrees({ home: data.trees, isGone });
  return ids.length;
}
