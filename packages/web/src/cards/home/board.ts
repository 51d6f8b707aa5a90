/**
 * The board of Home (D15): all sessions in columns by state or project, and the rest by time. Pure. Built from rows
 * only, because opening a conversation per session would not scale.
 */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { isUnstarted, titleOf } from '../../kit/projects.ts';
import type { Reviewed } from '../../kit/reviewed.ts';
import {
  isSameDay,
  isSeen,
  type SessionState,
  STATE_LABELS,
  sessionState,
  stateSince,
} from '../../kit/session-state.ts';
import { hasTag, type Tags } from '../../kit/tags.ts';
import { visibleText } from '../../kit/visible-text.ts';

export interface BoardCard {
  readonly row: SessionRow;
  readonly state: SessionState;
}

export interface BoardColumn {
  readonly id: string;
  readonly title: string;
  readonly cards: readonly BoardCard[];
}

export interface Board {
  readonly columns: readonly BoardColumn[];
  /** Sessions that need no attention, newest first, by day. */
  readonly rest: readonly BoardColumn[];
  readonly counts: Readonly<Record<SessionState, number>>;
}

export type Grouping = 'state' | 'project';

export interface BoardQuery {
  readonly grouping: Grouping;
  readonly text: string;
  readonly project: string | undefined;
  readonly now: number;
  readonly reviewed: Reviewed;
  readonly tags?: Tags;
  /** Only sessions with this tag. */
  readonly tag?: string | undefined;
}

/** Columns in order of urgency. The first four are always there, so that the others keep their place. */
const COLUMNS: readonly SessionState[] = ['needs', 'working', 'queued', 'failed', 'review', 'done'];
const ALWAYS: ReadonlySet<SessionState> = new Set(['needs', 'working', 'review', 'done']);
/** In these the longest wait is first; in the others, the last end. */
const OLDEST_FIRST: ReadonlySet<SessionState> = new Set(['needs', 'working', 'queued']);

export function boardOf(deck: Pick<Deck, 'sessions' | 'projects'>, query: BoardQuery): Board {
  const counts = Object.fromEntries(Object.keys(STATE_LABELS).map((state) => [state, 0])) as Record<
    SessionState,
    number
  >;
  const names = new Map(deck.projects.map(({ id, name }) => [id, name]));
  const [active, rest]: [BoardCard[], BoardCard[]] = [[], []];
  for (const row of deck.sessions) {
    const name = names.get(row.project);
    if (name === undefined || row.archived || row.trashedAt !== undefined || isUnstarted(row)) continue;
    const state = sessionState(row, { now: query.now, reviewed: query.reviewed[row.id] });
    counts[state]++;
    if (query.project !== undefined && query.project !== row.project) continue;
    const own = query.tags?.[row.id];
    if (query.tag !== undefined && !own?.includes(query.tag)) continue;
    if (!matches(row, name, query.text) && !hasTag(own, query.text)) continue;
    const isShown = COLUMNS.includes(state) && !isOldFailure(row, state, query.now);
    (isShown ? active : rest).push({ row, state });
  }
  const columns =
    query.grouping === 'state' ? byState(active) : byProject(active, deck.projects, query.project);
  return { columns, rest: byTime(rest, query.now), counts };
}

function matches(row: SessionRow, project: string, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  const { request = '', activity = '' } = row.summary ?? {};
  return [titleOf(row), project, request, activity].some((part) => part.toLowerCase().includes(wanted));
}

/** A failure that was seen on an earlier day needs nobody. */
function isOldFailure(row: SessionRow, state: SessionState, now: number): boolean {
  return state === 'failed' && isSeen(row) && !isSameDay(row.activeAt, now);
}

function byState(cards: readonly BoardCard[]): BoardColumn[] {
  return COLUMNS.flatMap((state) => {
    const own = cards.filter((card) => card.state === state).sort(compare);
    if (own.length === 0 && !ALWAYS.has(state)) return [];
    return [{ id: state, title: state === 'done' ? 'Done today' : STATE_LABELS[state], cards: own }];
  });
}

function byProject(
  cards: readonly BoardCard[],
  projects: Deck['projects'],
  project: string | undefined,
): BoardColumn[] {
  return projects.flatMap(({ id, name }) => {
    const own = cards.filter(({ row }) => row.project === id);
    if (own.length === 0 && id !== project) return [];
    const sorted = own.sort((a, b) => COLUMNS.indexOf(a.state) - COLUMNS.indexOf(b.state) || compare(a, b));
    return [{ id, title: visibleText(name), cards: sorted }];
  });
}

function compare(a: BoardCard, b: BoardCard): number {
  const order = stateSince(a.row, a.state) - stateSince(b.row, b.state);
  return (OLDEST_FIRST.has(a.state) ? order : -order) || a.row.id.localeCompare(b.row.id);
}

const DAY = 24 * 3_600_000;

function byTime(cards: readonly BoardCard[], now: number): BoardColumn[] {
  const sorted = [...cards].sort((a, b) => b.row.activeAt - a.row.activeAt);
  const groups: [string, BoardCard[]][] = [
    ['Earlier today', []],
    ['Yesterday', []],
    ['Last 7 days', []],
    ['Older', []],
  ];
  for (const card of sorted) {
    const at = card.row.activeAt;
    const index = isSameDay(at, now) ? 0 : isSameDay(at, now - DAY) ? 1 : now - at < 7 * DAY ? 2 : 3;
    groups[index]?.[1].push(card);
  }
  return groups.flatMap(([title, own]) => (own.length === 0 ? [] : [{ id: title, title, cards: own }]));
}

/** A column that is shown below another one. */
const BELOW: Readonly<Record<string, SessionState>> = { queued: 'working', review: 'failed' };

/** Four lanes at most, so that Ready to review and Done today are in view on a laptop. */
export function lanesOf<Column extends { readonly id: string }>(columns: readonly Column[]): Column[][] {
  const lanes: Column[][] = [];
  for (const column of columns) {
    const last = lanes.at(-1);
    const above = BELOW[column.id];
    if (last && above !== undefined && last.at(-1)?.id === above) last.push(column);
    else lanes.push([column]);
  }
  return lanes;
}

/** "3 agents need you", for the head of the board. */
export function headline({ needs, working, review }: Board['counts']): string {
  if (needs > 0) return needs === 1 ? '1 agent needs you' : `${needs} agents need you`;
  if (working > 0) return working === 1 ? '1 agent is working' : `${working} agents are working`;
  if (review > 0)
    return review === 1 ? '1 session is ready to review' : `${review} sessions are ready to review`;
  return 'All quiet';
}

/** The card to focus next: up and down in a column, left and right to the nearest row of the next one. */
export function neighbor(
  columns: readonly (readonly string[])[],
  from: string | undefined,
  key: string,
): string | undefined {
  const shown = columns.filter((ids) => ids.length > 0);
  const column = shown.findIndex((ids) => from !== undefined && ids.includes(from));
  if (from === undefined || column < 0) return key.startsWith('Arrow') ? shown[0]?.[0] : undefined;
  const at = shown[column]?.indexOf(from) ?? 0;
  const beside = (step: number) => {
    const next = shown[column + step];
    return next?.[Math.min(at, next.length - 1)];
  };
  switch (key) {
    case 'ArrowDown':
      return shown[column]?.[at + 1];
    case 'ArrowUp':
      return at > 0 ? shown[column]?.[at - 1] : undefined;
    case 'ArrowRight':
      return beside(1);
    case 'ArrowLeft':
      return column > 0 ? beside(-1) : undefined;
    case 'Home':
      return shown[column]?.[0];
    case 'End':
      return shown[column]?.at(-1);
    default:
      return undefined;
  }
}
