/** Where a session works: its project's own directory, or a workspace of the project (B1). Cards accept either id. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';

export function placeOf({ project, workspace }: Pick<SessionRow, 'project' | 'workspace'>): string {
  return workspace ?? project;
}

/** Undefined while the files of its workspace aren't there, for example because it is archived. */
export function usablePlaceOf(
  deck: Deck | undefined,
  row: Pick<SessionRow, 'project' | 'workspace'>,
): string | undefined {
  if (row.workspace === undefined) return row.project;
  return deck?.workspaces?.find(({ id }) => id === row.workspace)?.state === 'ready'
    ? row.workspace
    : undefined;
}

/** A workspace that is being created or restored: its files can't be opened yet. */
export function isBeingMade(deck: Deck | undefined, place: string): boolean {
  const state = deck?.workspaces?.find(({ id }) => id === place)?.state;
  return state === 'creating' || state === 'restoring';
}

export function placeOfSession(deck: Deck | undefined, session: string | undefined): string | undefined {
  const row = deck?.sessions.find(({ id }) => id === session);
  return row && placeOf(row);
}

/** Name and path of a project or workspace. */
export function folderOf(
  deck: Deck | undefined,
  place: string | undefined,
): { readonly name: string; readonly path: string } | undefined {
  const project = deck?.projects.find(({ id }) => id === place);
  if (project) return project;
  const workspace = deck?.workspaces?.find(({ id }) => id === place);
  const owner = deck?.projects.find(({ id }) => id === workspace?.project);
  return workspace && { name: `${owner?.name ?? ''} · ${workspace.name}`, path: workspace.path };
}

/** The branch that is checked out in a project or workspace. */
export function branchOf(deck: Deck | undefined, place: string | undefined): string | undefined {
  const fits = ({ id }: { readonly id: string }) => id === place;
  return (deck?.projects.find(fits) ?? deck?.workspaces?.find(fits))?.branch;
}

/** The project that a place belongs to. */
export function projectOfPlace(deck: Deck | undefined, place: string): string {
  return deck?.workspaces?.find(({ id }) => id === place)?.project ?? place;
}

/** The workspace of a worktree; its path can be a folder in it. */
export function workspaceAt(deck: Deck | undefined, worktree: string): WorkspaceRow | undefined {
  return deck?.workspaces?.find(({ path }) => path === worktree || path.startsWith(`${worktree}/`));
}
