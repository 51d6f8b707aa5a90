/** Preset layouts (D1): the session in front stays in front. Pure; the caller creates new cards. */
import { closeCard } from '../../kit/layout/edit-layout.ts';
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

/** `conversation` is the session with its panel; the name is stored in `keys.json`. */
export const PRESETS = ['focus', 'conversation', 'review', 'grid'] as const;
export type Preset = (typeof PRESETS)[number];

/** Sessions in a grid, if there is room for them. */
const MAX_CELLS = 9;
/** The smallest usable cell with its tab strip, in pixels: a message and the message box. */
const MIN_CELL = { width: 360, height: 300 };

export interface PresetSources {
  /** Creates a review of the session in front; undefined if there is none. */
  readonly makeReview: () => DockCard | undefined;
  readonly newId: () => string;
  /** The session in front. */
  readonly front: string | undefined;
  /** Sessions for a grid, the most urgent first. */
  readonly urgent: readonly string[];
  /** Room for the layout, in pixels. */
  readonly stage: { readonly width: number; readonly height: number };
}

export function presetLayout(preset: Preset, layout: Layout, sources: PresetSources): Layout {
  const order = tabOrder(layout).map((id) => layout.cards.find((card) => card.id === id));
  const open = order.filter((card): card is DockCard => card !== undefined);
  const isTalk = ({ kind }: DockCard) => kind === 'conversation';
  const main =
    open.find((card) => isTalk(card) && card.params.session === sources.front) ??
    open.find(isTalk) ??
    activeCard(layout) ??
    open[0];
  // Closed cards can be reopened, and the layout undone.
  if (preset === 'focus')
    return open.reduce((now, { id }) => (id === main?.id ? now : closeCard(now, id)), layout);
  const group = (cards: readonly DockCard[], front?: DockCard): Group => {
    const ids = cards.map(({ id }) => id);
    const shown = [front?.id, main?.id].find((id) => id !== undefined && ids.includes(id)) ?? ids[0] ?? '';
    return { type: 'group', id: sources.newId(), cards: ids, front: shown };
  };
  const talks = open.filter(isTalk);
  const others = open.filter((card) => !isTalk(card));
  const added: DockCard[] = [];
  let root: Node | undefined;
  if (preset === 'grid') {
    const known = new Set(talks.map(({ params }) => params.session));
    const across = Math.max(1, Math.floor(sources.stage.width / MIN_CELL.width));
    const down = Math.max(1, Math.floor(sources.stage.height / MIN_CELL.height));
    const more = sources.urgent.filter((session) => !known.has(session)).map((session) => talkCard(session));
    const shown = byUrgency([...talks, ...more], sources.urgent).slice(0, Math.min(MAX_CELLS, across * down));
    added.push(...shown.filter((card) => !talks.includes(card)));
    const behind = [...talks.filter((card) => !shown.includes(card)), ...others];
    root = grid(shown, behind, { across, down }, group);
  } else if (preset === 'review') {
    const known = others.find(({ kind, params }) => kind === 'review' && params.session === sources.front);
    const made = known ? undefined : sources.makeReview();
    if (made) added.push(made);
    const review = known ?? made;
    const beside = [...(review ? [review] : []), ...others.filter((card) => card !== review)];
    root =
      talks.length === 0 || beside.length === 0
        ? open.length + added.length > 0
          ? group([...talks, ...beside])
          : undefined
        : row([2 / 5, 3 / 5], [group(talks), group(beside, review)]);
  } else root = open.length > 0 ? group(open) : undefined;
  const groups = root ? groupsOf({ root, floats: [] }) : [];
  return tidy({
    version: LAYOUT_VERSION,
    // Existing cards first and in the same order, so that their elements stay.
    cards: [...layout.cards, ...added],
    root,
    floats: [],
    active: groups.find(({ cards }) => main !== undefined && cards.includes(main.id))?.id,
    maximised: undefined,
    closed: layout.closed,
  });

  function talkCard(session: string): DockCard {
    return { id: sources.newId(), kind: 'conversation', params: { session } };
  }
}

/** A grid as square as fits: a session per cell. Other cards are behind the last one. */
function grid(
  shown: readonly DockCard[],
  behind: readonly DockCard[],
  max: { readonly across: number; readonly down: number },
  group: (cards: readonly DockCard[], front?: DockCard) => Group,
): Node | undefined {
  const last = shown.at(-1);
  if (!last) return behind.length > 0 ? group(behind) : undefined;
  const cells = shown.map((card) => (card === last ? group([card, ...behind], card) : group([card])));
  const square = Math.ceil(Math.sqrt(cells.length));
  const across = Math.min(max.across, Math.max(square, Math.ceil(cells.length / max.down)));
  const rows: Node[] = [];
  for (let at = 0; at < cells.length; at += across) {
    const part = cells.slice(at, at + across);
    rows.push(
      row(
        part.map(() => 1 / part.length),
        part,
      ),
    );
  }
  return column(rows);
}

function byUrgency(talks: readonly DockCard[], urgent: readonly string[]): readonly DockCard[] {
  const place = ({ params }: DockCard) => {
    const at = urgent.indexOf(params.session ?? '');
    return at < 0 ? urgent.length : at;
  };
  return [...talks].sort((a, b) => place(a) - place(b));
}

function row(sizes: readonly number[], children: readonly Node[]): Node {
  return { type: 'split', direction: 'row', sizes, children };
}

function column(children: readonly Node[]): Node {
  return { type: 'split', direction: 'column', sizes: children.map(() => 1 / children.length), children };
}
