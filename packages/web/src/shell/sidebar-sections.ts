/**
 * The sections of the sidebar (D18): sessions that need the user, work, or are ready to review, then the projects. Each
 * session is in one place, by its state alone: opening it never moves it. Pure.
 */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { pinnedFirst } from '../kit/pinned.ts';
import { groupProjects, type ProjectGroup } from '../kit/projects.ts';
import type { Reviewed } from '../kit/reviewed.ts';
import { STATE_LABELS, sessionState, stateSince } from '../kit/session-state.ts';
import type { Tags } from '../kit/tags.ts';

const SECTIONS = ['needs', 'working', 'review'] as const;
export type SectionId = (typeof SECTIONS)[number];

export interface SidebarSection {
  readonly id: SectionId;
  readonly title: string;
  readonly rows: readonly SessionRow[];
  /** How many of them are queued, in Working. */
  readonly queued: number;
}

export interface SidebarList {
  readonly sections: readonly SidebarSection[];
  readonly projects: readonly ProjectGroup[];
}

export interface SidebarQuery {
  readonly filter: string;
  readonly now: number;
  readonly reviewed: Reviewed;
  /** Pinned sessions are first in their project (D46). */
  readonly pinned?: readonly string[];
  readonly tags?: Tags;
}

/** A filter looks for a session wherever it is, so it lists projects only. */
export function sidebarList(
  deck: Deck,
  { filter, now, reviewed, pinned = [], tags }: SidebarQuery,
): SidebarList {
  const projects = groupProjects(deck, filter, tags).map((group) => ({
    ...group,
    sessions: pinnedFirst(group.sessions, pinned),
  }));
  if (filter.trim() !== '') return { sections: [], projects };
  const found: Record<SectionId, SessionRow[]> = { needs: [], working: [], review: [] };
  let queued = 0;
  const left = projects.map((group) => ({
    ...group,
    sessions: group.sessions.filter((row) => {
      const state = sessionState(row, { now, reviewed: reviewed[row.id] });
      const section = state === 'queued' ? 'working' : state;
      if (state === 'queued') queued++;
      if (section !== 'needs' && section !== 'working' && section !== 'review') return true;
      found[section].push(row);
      return false;
    }),
  }));
  const sections = SECTIONS.flatMap((id) => {
    const order = id === 'review' ? -1 : 1;
    const rows = found[id].sort((a, b) => order * (stateSince(a, id) - stateSince(b, id)));
    return rows.length === 0
      ? []
      : [{ id, title: STATE_LABELS[id], rows, queued: id === 'working' ? queued : 0 }];
  });
  return { sections, projects: left };
}

/**
 * The list with its sessions where they were before, for the time the pointer is over it: nothing moves under a click.
 * New sessions follow later.
 */
export function heldList(before: SidebarList, deck: Deck): SidebarList {
  const rows = new Map(deck.sessions.map((row) => [row.id, row]));
  const keep = (old: readonly SessionRow[]) =>
    old.flatMap(({ id }) => {
      const row = rows.get(id);
      return row && !row.archived && row.trashedAt === undefined ? [row] : [];
    });
  const projects = new Map(deck.projects.map((project) => [project.id, project]));
  return {
    sections: before.sections.map((section) => ({ ...section, rows: keep(section.rows) })),
    projects: before.projects.flatMap(({ project, sessions }) => {
      const now = projects.get(project.id);
      return now ? [{ project: now, sessions: keep(sessions) }] : [];
    }),
  };
}
