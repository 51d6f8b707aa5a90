/** Items of the command palette (D4): sessions, projects, actions. Pure; recently used ones come first. */
import type { Match } from '@tugdeck/protocol/fuzzy';
import { fuzzySort } from '@tugdeck/protocol/fuzzy';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { isUnstarted, titleOf } from '../../kit/projects.ts';

export interface PaletteItem {
  /** Stored in the list of recent items. */
  readonly id: string;
  readonly group: 'This session' | 'Action' | 'File' | 'Session' | 'Project' | 'Archived' | 'Trash';
  readonly label: string;
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  /** The session whose state is shown. */
  readonly row?: SessionRow;
  /** Choices for its argument, listed before it runs. */
  readonly next?: readonly PaletteItem[] | undefined;
  readonly run: () => void;
}
export type FoundItem = PaletteItem & { readonly match: Match };

const MAX_ITEMS = 50;
/** Groups that are hidden until the user types. */
const QUIET: ReadonlySet<PaletteItem['group']> = new Set(['Archived', 'Trash']);

export interface PaletteActions {
  readonly showSession: (session: string) => void;
  readonly newSession: (project: string) => void;
  readonly restore: (row: SessionRow) => void;
}

export function deckItems(deck: Deck, actions: PaletteActions): PaletteItem[] {
  const names = new Map(deck.projects.map(({ id, name }) => [id, name]));
  const sessions = deck.sessions
    .filter((row) => names.has(row.project) && !isUnstarted(row))
    .sort((a, b) => b.activeAt - a.activeAt)
    .map(
      (row): PaletteItem => ({
        id: `session-${row.id}`,
        group: row.trashedAt !== undefined ? 'Trash' : row.archived ? 'Archived' : 'Session',
        label: titleOf(row),
        detail: names.get(row.project),
        row,
        run: () =>
          row.archived || row.trashedAt !== undefined ? actions.restore(row) : actions.showSession(row.id),
      }),
    );
  const projects = deck.projects.map(
    ({ id, name, path }): PaletteItem => ({
      id: `project-${id}`,
      group: 'Project',
      label: `New session in ${name}`,
      detail: path,
      run: () => actions.newSession(id),
    }),
  );
  return [...sessions, ...projects];
}

export function findItems(
  items: readonly PaletteItem[],
  query: string,
  recent: readonly string[],
): readonly FoundItem[] {
  const { groups, words } = prefixOf(query);
  const isBlank = words.trim() === '';
  const shown = items.filter(({ group }) => (groups?.has(group) ?? true) && !(isBlank && QUIET.has(group)));
  const place = (id: string) => {
    const at = recent.indexOf(id);
    return at < 0 ? recent.length : at;
  };
  const byUse = [...shown].sort((a, b) => place(a.id) - place(b.id));
  return fuzzySort(words, byUse, ({ label }) => label).slice(0, MAX_ITEMS);
}

const PREFIXES: Readonly<Record<string, ReadonlySet<PaletteItem['group']>>> = {
  '>': new Set(['This session', 'Action', 'Project']),
  '#': new Set(['Session', 'Archived', 'Trash']),
};

/** `>` finds commands, `#` sessions. */
function prefixOf(query: string): { groups?: ReadonlySet<PaletteItem['group']> | undefined; words: string } {
  const groups = PREFIXES[query.charAt(0)];
  return groups ? { groups, words: query.slice(1).trimStart() } : { words: query };
}

/** Below the matches: a search of all conversations, and the agent in front if nothing matches (D44). */
export function extraItems(
  query: string,
  {
    agent,
    ask,
    search,
  }: { agent: string | undefined; ask: (text: string) => void; search: (text: string) => void },
  hasMatches: boolean,
): readonly FoundItem[] {
  const text = query.trim();
  if (text === '' || (hasMatches && prefixOf(query).groups)) return [];
  const item = (id: string, label: string, run: () => void): FoundItem => ({
    id,
    group: 'Action',
    label,
    run,
    match: { score: 0, at: [] },
  });
  return [
    ...(agent === undefined || hasMatches ? [] : [item('ask', `Ask ${agent}: ${text}`, () => ask(text))]),
    item('search', `Search conversations for “${text}”`, () => search(text)),
  ];
}

/** Recently used ids, newest first. */
export function withRecent(recent: readonly string[], id: string): readonly string[] {
  return [id, ...recent.filter((other) => other !== id)].slice(0, 20);
}
