/** Takes from the disk what has been in the trash for long enough (S5). At the start of the server, in the background. */
import { rm } from 'node:fs/promises';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { SessionTable } from '../store/session-table.ts';

export async function emptyTrash(
  table: SessionTable,
  data: DataDirectory,
  { now, trashMs }: { readonly now: number; readonly trashMs: number },
): Promise<number> {
  const ids = table.empty(now - trashMs, now);
  for (const id of ids) await rm(data.session(id).root, { recursive: true, force: true });
  return ids.length;
}
