/** Finds projects that are worktrees which Tugdeck created: before workspaces, each was a separate project. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import type { Project } from '@tugdeck/protocol/wire/deck';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { findRepository, type RepositoryPlace } from '@tugdeck/trees/find-repository';
import { readHead } from '@tugdeck/trees/read-head';

/** Only those whose main checkout is a project too; `home` is the folder of all our worktrees. */
export async function worktreeProjects(
  projects: readonly Project[],
  home: string,
): Promise<readonly StoredWorkspace[]> {
  const folder = await realpath(home).catch(() => undefined);
  if (folder === undefined) return [];
  const found: StoredWorkspace[] = [];
  for (const { id, path, addedAt } of projects) {
    if (!path.startsWith(folder + sep)) continue;
    const repository = await findRepository(path).catch(() => undefined);
    if (repository?.kind !== 'repository') continue;
    const { root, gitDirectory, commonDirectory } = repository.place;
    const inside = relative(root, repository.place.project).split(sep).join('/');
    const owner = projects.find((one) => one.path === mainFolder(commonDirectory, inside));
    if (!owner || gitDirectory === commonDirectory) continue;
    found.push(adoptedRow(repository.place, { id, project: owner.id, createdAt: addedAt }));
  }
  return found;
}

/** A worktree that Tugdeck did not create, as a workspace where it is. */
export function adoptedRow(
  place: RepositoryPlace,
  { id, project, createdAt }: Pick<StoredWorkspace, 'id' | 'project' | 'createdAt'>,
): StoredWorkspace {
  const { root, commonDirectory } = place;
  return {
    ...{ id, project, createdAt },
    name: basename(root),
    state: 'ready',
    path: root,
    folder: relative(root, place.project).split(sep).join('/'),
    repository: commonDirectory,
    branch: readHead(place)?.branch,
    madeBranch: false,
    baseRef: undefined,
    baseCommit: undefined,
    slot: undefined,
    op: undefined,
    fault: undefined,
    notes: [],
    landing: undefined,
    archivedAt: undefined,
  };
}

function mainFolder(commonDirectory: string, inside: string): string | undefined {
  if (basename(commonDirectory) !== '.git') return undefined;
  const root = dirname(commonDirectory);
  return inside === '' ? root : `${root}${sep}${inside}`;
}
