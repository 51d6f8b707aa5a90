/** The deck as the sidebar shows it: projects with their sessions, newest first. Pure. */
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { Deck, Project, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { activeCard, type DockCard, groupsOf, type Layout } from './layout/layout.ts';
import { agentsIn } from './machines.ts';
import { hasTag, type Tags } from './tags.ts';
import { visibleText } from './visible-text.ts';

export interface ProjectGroup {
  readonly project: Project;
  readonly sessions: readonly SessionRow[];
}

/** One pass over the rows, because there may be thousands. */
export function groupProjects(deck: Deck, filter: string, tags: Tags = {}): readonly ProjectGroup[] {
  const wanted = filter.trim().toLowerCase();
  const byProject = new Map<string, SessionRow[]>(deck.projects.map(({ id }) => [id, []]));
  for (const row of deck.sessions)
    if (!row.archived && row.trashedAt === undefined && !isUnstarted(row))
      byProject.get(row.project)?.push(row);
  const groups = deck.projects.map((project) => {
    const all = (byProject.get(project.id) ?? []).sort((a, b) => b.activeAt - a.activeAt);
    const isProject = project.name.toLowerCase().includes(wanted);
    const sessions = isProject
      ? all
      : all.filter((row) => titleOf(row).toLowerCase().includes(wanted) || hasTag(tags[row.id], wanted));
    return { project, sessions, isShown: wanted === '' || isProject || sessions.length > 0 };
  });
  return groups.filter(({ isShown }) => isShown);
}

export interface WorkspaceGroup {
  readonly workspace: WorkspaceRow;
  readonly sessions: readonly SessionRow[];
}

/** Sessions of a project's own directory, and those of its workspaces, the newest first (B34). */
export function groupWorkspaces(
  sessions: readonly SessionRow[],
  workspaces: readonly WorkspaceRow[] = [],
): { readonly checkout: readonly SessionRow[]; readonly groups: readonly WorkspaceGroup[] } {
  const known = new Map(workspaces.map((workspace) => [workspace.id, workspace]));
  const byWorkspace = new Map<string, SessionRow[]>();
  const checkout: SessionRow[] = [];
  for (const row of sessions) {
    const workspace = row.workspace === undefined ? undefined : known.get(row.workspace);
    if (workspace) byWorkspace.set(workspace.id, [...(byWorkspace.get(workspace.id) ?? []), row]);
    else checkout.push(row);
  }
  const groups = [...byWorkspace].flatMap(([id, rows]) => {
    const workspace = known.get(id);
    return workspace ? [{ workspace, sessions: rows }] : [];
  });
  return { checkout, groups };
}

export interface AttemptsGroup {
  readonly group: AttemptsRow;
  readonly rows: readonly SessionRow[];
}

/** Sessions that are attempts at one message, in their order (B37), and all others. */
export function groupAttempts(
  sessions: readonly SessionRow[],
  groups: readonly AttemptsRow[] = [],
): { readonly attempts: readonly AttemptsGroup[]; readonly others: readonly SessionRow[] } {
  const rowsById = new Map(sessions.map((row) => [row.id, row]));
  const attempts = groups.flatMap((group) => {
    // Another machine can name any session.
    const own = group.attempts.flatMap(({ session }) => {
      const row = rowsById.get(session);
      return row?.project === group.project ? [row] : [];
    });
    return own.length > 0 && group.chosen === undefined ? [{ group, rows: own }] : [];
  });
  const grouped = new Set(attempts.flatMap(({ rows }) => rows.map(({ id }) => id)));
  return { attempts, others: sessions.filter(({ id }) => !grouped.has(id)) };
}

/** A session without a message: it is only the composer of a new session, and is not listed (D43). */
export function isUnstarted(row: SessionRow): boolean {
  const { summary, origin, parent, pending } = row;
  if (origin === 'foreign' || parent !== undefined || pending) return false;
  // An adopted session has its title before its first summary.
  if (summary === undefined) return givenTitle(row) === undefined;
  return summary.entries === 0 && (summary.queued ?? 0) === 0;
}

const NO_TITLE = 'New session';

/** Bidirectional control characters in titles are neutralized. */
export function titleOf(row: SessionRow): string {
  return visibleText(row.title || row.summary?.title || NO_TITLE);
}

/** Without the title of a session that has none: some agents report it as theirs. */
export function givenTitle(row: SessionRow): string | undefined {
  const title = titleOf(row);
  return title === NO_TITLE ? undefined : title;
}

/** Whether any session has content. */
export function hasSessions(deck: Deck | undefined): boolean {
  return deck?.sessions.some(({ summary }) => (summary?.entries ?? 0) > 0) ?? false;
}

/** Whether a session can be started right away. */
export function canStart(deck: Deck): boolean {
  return deck.projects.length > 0 && usableAgent(deck) !== undefined;
}

/** The session to show by default: the last active one made here (of a project, if given). */
export function lastActive(deck: Deck, project?: string): SessionRow | undefined {
  return deck.sessions
    .filter(
      (row) =>
        !row.archived &&
        row.trashedAt === undefined &&
        row.origin !== 'foreign' &&
        !isUnstarted(row) &&
        (project === undefined || row.project === project),
    )
    .sort((a, b) => b.activeAt - a.activeAt)[0];
}

/** The card that shows a project: the active one, otherwise one in front, otherwise any; the last used if several. */
export function cardOfProject(
  project: string,
  now: Layout,
  sessions: readonly SessionRow[] = [],
): DockCard | undefined {
  const active = activeCard(now);
  const fronts = groupsOf(now).map(({ front }) => front);
  const rowOf = ({ params }: DockCard) => sessions.find(({ id }) => id === params.session);
  const rank = (card: DockCard) => (card === active ? 2 : Number(fronts.includes(card.id)));
  return now.cards
    .filter((card) => (rowOf(card) ?? card.params).project === project)
    .sort((a, b) => rank(b) - rank(a) || (rowOf(b)?.activeAt ?? 0) - (rowOf(a)?.activeAt ?? 0))[0];
}

/** The agent for a new session in a project. */
export function usableAgent(deck: Deck, project?: string): string | undefined {
  const { agents, defaultAgent } = agentsIn(deck, project);
  const usable = agents.filter(({ installed }) => installed);
  return (usable.find(({ name }) => name === defaultAgent) ?? usable[0])?.name;
}
