/** The deck as the sidebar shows it: projects with their sessions, newest first. Pure. */
import type { Deck, Project, SessionRow } from '@tugdeck/protocol/wire/deck';
import { activeCard, type DockCard, groupsOf, type Layout } from './layout/layout.ts';
import { visibleText } from './visible-text.ts';

export interface ProjectGroup {
  readonly project: Project;
  readonly sessions: readonly SessionRow[];
}

/** One pass over the rows, because there may be thousands. */
export function groupProjects(deck: Deck, filter: string): readonly ProjectGroup[] {
  const wanted = filter.trim().toLowerCase();
  const byProject = new Map<string, SessionRow[]>(deck.projects.map(({ id }) => [id, []]));
  for (const row of deck.sessions)
    if (!row.archived && row.trashedAt === undefined && !isUnstarted(row))
      byProject.get(row.project)?.push(row);
  const groups = deck.projects.map((project) => {
    const all = (byProject.get(project.id) ?? []).sort((a, b) => b.activeAt - a.activeAt);
    const isProject = project.name.toLowerCase().includes(wanted);
    const sessions = isProject ? all : all.filter((row) => titleOf(row).toLowerCase().includes(wanted));
    return { project, sessions, isShown: wanted === '' || isProject || sessions.length > 0 };
  });
  return groups.filter(({ isShown }) => isShown);
}

/** A session without a message: it is only the composer of a new session, and is not listed (D43). */
export function isUnstarted(row: SessionRow): boolean {
  const { summary, origin, parent } = row;
  if (origin === 'foreign' || parent !== undefined) return false;
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

export function usableAgent(deck: Deck): string | undefined {
  const usable = deck.agents.filter(({ installed }) => installed);
  return (usable.find(({ name }) => name === deck.defaultAgent) ?? usable[0])?.name;
}
