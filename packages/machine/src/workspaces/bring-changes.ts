/** Copies the checkout's uncommitted changes into a new workspace; the checkout stays as it is (B6). */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { commitOf, type Repository } from '../git/repository.ts';
import { beginWork, finishWork, leaveBegun, planWork } from './carry-work.ts';
import { directoryOf } from './environment.ts';
import { listed } from './listed.ts';

export interface BringOptions {
  readonly data: Pick<DataDirectory, 'trees' | 'carries'>;
  /** The project's own directory. */
  readonly from: string;
  readonly now: () => number;
}

/** Returns notes for the user. */
export async function bringChanges(
  repository: Repository,
  row: StoredWorkspace,
  { data, from, now }: BringOptions,
): Promise<readonly string[]> {
  const base = await commitOf(repository, 'HEAD');
  if (base === undefined) return [];
  const carry = { id: randomUUID(), directory: join(data.carries, row.id), owner: row.id, now };
  const to = directoryOf(row);
  const before = await leaveBegun(await openShadow({ home: data.trees, project: to }), carry);
  const work = await planWork({ home: data.trees, from, to, base, at: now() });
  await beginWork(work, carry);
  const { ended } = await finishWork(work.shadow, carry);
  const kept = work.plan.rows.filter(({ state }) => state === 'conflict').map(({ path }) => path);
  const left = [...work.leftOut, ...ended.left.map(({ path }) => path)];
  return [
    `Changed files copied from your checkout: ${before + ended.written + ended.removed}.`,
    ...(kept.length > 0 ? [`Not copied, because the base changed them too: ${listed(kept)}.`] : []),
    ...(left.length > 0 ? [`Not copied, because they are too large: ${listed(left)}.`] : []),
  ];
}
