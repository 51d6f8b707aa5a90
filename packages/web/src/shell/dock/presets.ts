/** Preset layouts (D1): open cards stay open and get new positions. Pure; the caller creates new cards. */
import {
  activeCard,
  type DockCard,
  type Group,
  groupsOf,
  LAYOUT_VERSION,
  type Layout,
  type Node,
  tabOrder,
} from '../../kit/layout/layout.ts';
import { tidy } from '../../kit/layout/tidy-layout.ts';

export const PRESETS = ['conversation', 'focus', 'review', 'grid'] as const;
export type Preset = (typeof PRESETS)[number];

const COLUMN = ['terminal', 'git', 'files', 'stats'];
const BESIDE_REVIEW = ['review', 'git'];

export interface PresetSources {
  /** Creates a card of that kind for the current project; undefined if that is not possible. */
  readonly make: (kind: string) => DockCard | undefined;
  readonly newId: () => string;
}

export function presetLayout(preset: Preset, layout: Layout, sources: PresetSources): Layout {
  const front = activeCard(layout)?.id;
  const order = tabOrder(layout).map((id) => layout.cards.find((card) => card.id === id));
  const open = order.filter((card): card is DockCard => card !== undefined);
  const wanted = { conversation: COLUMN, review: BESIDE_REVIEW, focus: [], grid: [] }[preset];
  const added = wanted
    .filter((kind) => !open.some((card) => card.kind === kind))
    .map(sources.make)
    .filter((card) => card !== undefined);
  const all = [...open, ...added];
  const group = (cards: readonly DockCard[]): Group => {
    const ids = cards.map(({ id }) => id);
    const shown = ids.find((id) => id === front) ?? frontOf(layout, ids) ?? ids[0] ?? '';
    return { type: 'group', id: sources.newId(), cards: ids, front: shown };
  };
  const root = arrange(preset, all, wanted, group);
  const groups = root ? groupsOf({ root, floats: [] }) : [];
  return tidy({
    version: LAYOUT_VERSION,
    // Existing cards first and in the same order, so that their elements stay.
    cards: [...layout.cards, ...added],
    root,
    floats: [],
    active: groups.find(({ cards }) => front !== undefined && cards.includes(front))?.id,
    maximised: undefined,
    closed: layout.closed,
  });
}

type MakeGroup = (cards: readonly DockCard[]) => Group;

function arrange(
  preset: Preset,
  all: readonly DockCard[],
  wanted: readonly string[],
  group: MakeGroup,
): Node | undefined {
  if (all.length === 0) return undefined;
  if (preset === 'focus') return group(all);
  const talks = all.filter(({ kind }) => kind === 'conversation');
  const others = all.filter(({ kind }) => kind !== 'conversation');
  if (preset === 'grid') return grid(talks, others, group);
  if (talks.length === 0 || others.length === 0) return group(all);
  if (preset === 'review') return row([2 / 5, 3 / 5], [group(talks), group(byKind(others, wanted))]);
  const stacks = wanted
    .map((kind) => others.filter((card) => card.kind === kind))
    .filter(({ length }) => length);
  const rest = others.filter(({ kind }) => !wanted.includes(kind));
  const piles = stacks.length === 0 ? [rest] : [...stacks.slice(0, -1), [...(stacks.at(-1) ?? []), ...rest]];
  return row([2 / 3, 1 / 3], [group(talks), column(piles.map(group))]);
}

/** A grid as square as possible, with other cards at the end. */
function grid(talks: readonly DockCard[], others: readonly DockCard[], group: MakeGroup): Node {
  const cells: (readonly DockCard[])[] = talks.map((card) => [card]);
  if (others.length > 0) cells.push(others);
  const across = Math.ceil(Math.sqrt(cells.length));
  const rows: Node[] = [];
  for (let at = 0; at < cells.length; at += across) {
    const part = cells.slice(at, at + across).map(group);
    rows.push(
      row(
        part.map(() => 1 / part.length),
        part,
      ),
    );
  }
  return column(rows);
}

function row(sizes: readonly number[], children: readonly Node[]): Node {
  return { type: 'split', direction: 'row', sizes, children };
}

function column(children: readonly Node[]): Node {
  return { type: 'split', direction: 'column', sizes: children.map(() => 1 / children.length), children };
}

function byKind(cards: readonly DockCard[], kinds: readonly string[]): readonly DockCard[] {
  const place = ({ kind }: DockCard) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  return [...cards].sort((a, b) => place(a) - place(b));
}

/** The card that was in front of its group. */
function frontOf(layout: Layout, ids: readonly string[]): string | undefined {
  const fronts = groupsOf(layout).map((group) => group.front);
  return ids.find((id) => fronts.includes(id));
}
