/** The layout as data (D1): edits, positions, and parsing of stored layouts. */
import { describe, expect, test } from 'vitest';
import * as edit from '../src/kit/layout/edit-layout.ts';
import {
  activeCard,
  type DockCard,
  EMPTY_LAYOUT,
  flattened,
  type Group,
  groupOfCard,
  groupsOf,
  type Layout,
  type Place,
  type Split,
  tabOrder,
} from '../src/kit/layout/layout.ts';
import { registerAllKinds } from '../src/shell/card-kinds.ts';
import { dropAt } from '../src/shell/dock/drop-place.ts';
import { migrateLayout } from '../src/shell/dock/migrate-layout.ts';
import { neighborGroup } from '../src/shell/dock/neighbor-group.ts';
import { bodyOf, css, pixels, placeLayout } from '../src/shell/dock/place-layout.ts';
import { presetLayout } from '../src/shell/dock/presets.ts';
import { readLayout } from '../src/shell/dock/read-layout.ts';
import { visibleSessions } from '../src/shell/dock/visible-cards.ts';

registerAllKinds();

const card = (id: string): DockCard => ({ id, kind: 'conversation', params: { session: id } });
const add = (layout: Layout, id: string, place: Place) => edit.addCard(layout, card(id), place, `g-${id}`);
const tabs = (layout: Layout) => groupsOf(layout).map(({ cards }) => cards.join(' '));

/** a and b as tabs, c at their right, d under c. */
const sample = () => {
  let layout = add(EMPTY_LAYOUT, 'a', { edge: 'right' });
  layout = add(layout, 'b', { group: 'g-a' });
  layout = add(layout, 'c', { beside: 'g-a', side: 'right', share: 0.25 });
  return add(layout, 'd', { beside: 'g-c', side: 'below' });
};

describe('D1 edits', () => {
  test('cards open as tabs, beside, below', () => {
    expect(tabs(sample())).toEqual(['a b', 'c', 'd']);
    expect(activeCard(sample())?.id).toBe('d');
  });
  test('a second neighbor in the same direction joins the split', () => {
    const layout = add(sample(), 'e', { beside: 'g-a', side: 'right' });
    expect(layout.root).toMatchObject({ type: 'split', sizes: [0.375, 0.375, 0.25] });
  });
  test('moving a card keeps its position in the list of cards, so that its element stays', () => {
    const before = sample();
    const after = edit.moveCard(before, 'a', { beside: 'g-d', side: 'below' }, 'new');
    expect(after.cards).toEqual(before.cards);
    expect(tabs(after)).toEqual(['b', 'c', 'd', 'a']);
  });
  test('moving the only card of a group removes the group', () => {
    const layout = edit.moveCard(sample(), 'c', { group: 'g-a', at: 0 }, 'new');
    expect(tabs(layout)).toEqual(['c a b', 'd']);
    expect(layout.root).toMatchObject({ direction: 'row', sizes: [0.75, 0.25] });
  });
  test('tabs can be reordered', () => {
    expect(tabs(edit.moveCard(sample(), 'a', { group: 'g-a', at: 2 }, 'new'))[0]).toBe('b a');
    expect(tabs(edit.moveCard(sample(), 'b', { group: 'g-a', at: 0 }, 'new'))[0]).toBe('b a');
    expect(tabs(edit.moveCard(sample(), 'b', { beside: 'g-b', side: 'left' }, 'g-b'))).toHaveLength(4);
  });
  test('D48 a temporary card takes the place of the temporary one of its kind in that group', () => {
    const preview = (layout: Layout, id: string, kind = 'conversation') =>
      edit.addTemporary(layout, { ...card(id), kind }, { group: 'g-a' }, `g-${id}`);
    let layout = edit.bringForward(sample(), 'a');
    layout = preview(layout, 'p');
    expect(tabs(layout)).toEqual(['a p b', 'c', 'd']);
    layout = preview(edit.bringForward(layout, 'b'), 'q');
    expect(tabs(layout)).toEqual(['a q b', 'c', 'd']);
    expect(activeCard(layout)).toMatchObject({ id: 'q', isTemporary: true });
    expect(layout.cards.some(({ id }) => id === 'p')).toBe(false);
    expect(layout.closed).toEqual([]);
    // Another kind does not replace it, a kept one is not replaced.
    layout = preview(layout, 'f', 'file');
    expect(tabs(layout)[0]).toBe('a q f b');
    layout = preview(edit.keepCard(layout, 'q'), 'r');
    expect(tabs(layout)[0]?.split(' ').sort()).toEqual(['a', 'b', 'f', 'q', 'r']);
  });
  test('D48 moving a temporary card keeps it, closing and reopening too; a stored one stays temporary', () => {
    const layout = edit.addTemporary(sample(), card('p'), { group: 'g-a' }, 'new');
    const flag = (now: Layout) => now.cards.find(({ id }) => id === 'p')?.isTemporary;
    expect(flag(edit.moveCard(layout, 'p', { group: 'g-a', at: 0 }, 'x'))).toBeUndefined();
    expect(flag(edit.moveCard(layout, 'p', { beside: 'g-c', side: 'below' }, 'x'))).toBeUndefined();
    expect(flag(edit.reopenCard(edit.closeCard(layout, 'p'), 'x'))).toBeUndefined();
    expect(flag(edit.bringForward(edit.bringForward(layout, 'a'), 'p'))).toBe(true);
    const stored = JSON.parse(JSON.stringify(layout));
    const again = readLayout(stored);
    expect(again && flag(again)).toBe(true);
    for (const one of stored.cards) one.isTemporary = 'yes';
    expect(readLayout(stored)?.cards).toHaveLength(5);
  });
  test('D11 closing a card brings its neighbor to the front; closing the last one empties the deck', () => {
    const closed = edit.closeCard(edit.bringForward(sample(), 'a'), 'a');
    expect(activeCard(closed)?.id).toBe('b');
    const gone = ['b', 'c', 'd'].reduce(edit.closeCard, closed);
    expect(gone).toMatchObject({ cards: [], active: undefined });
    expect(gone.root).toBeUndefined();
  });
  test('closed cards reopen where they were, the last one first', () => {
    const closed = ['a', 'd'].reduce(edit.closeCard, sample());
    const once = edit.reopenCard(closed, 'n1');
    expect(activeCard(once)?.id).toBe('d');
    const twice = edit.reopenCard(once, 'n2');
    expect(tabs(twice)[0]).toBe('a b');
    expect(twice.closed).toEqual([]);
    expect(edit.reopenCard(twice, 'n3')).toBe(twice);
  });
  test('a removed card cannot be reopened', () => {
    expect(edit.forgetCard(sample(), 'a').closed).toEqual([]);
  });
  test('a floating card is raised when shown, and can be docked again', () => {
    let layout = edit.moveCard(sample(), 'a', { float: { x: 0, y: 0, width: 0.5, height: 0.5 } }, 'f1');
    layout = edit.moveCard(layout, 'c', { float: { x: 0, y: 0, width: 0.5, height: 0.5 } }, 'f2');
    layout = edit.bringForward(layout, 'a');
    expect(layout.floats.map(({ group }) => group.id)).toEqual(['f2', 'f1']);
    expect(tabs(edit.moveCard(layout, 'a', { edge: 'left' }, 'n'))).toEqual(['a', 'b', 'd', 'c']);
  });
  test('maximizing hides the others; showing one of them ends it', () => {
    const layout = edit.toggleMaximized(sample(), 'g-c');
    expect(placeLayout(layout).groups.map(({ isHidden }) => isHidden)).toEqual([true, false, true]);
    expect(edit.bringForward(layout, 'd').maximised).toBeUndefined();
    expect(edit.toggleMaximized(layout, 'g-c').maximised).toBeUndefined();
  });
  test('collapsing leaves the tab strip, and never an empty area', () => {
    const layout = edit.toggleCollapsed(sample(), 'g-d');
    expect(placeLayout(layout).groups[2]?.box.height).toEqual({ share: 0, px: 36 });
    expect(edit.toggleCollapsed(layout, 'g-c')).toBe(layout);
    expect((groupOfCard(edit.bringForward(layout, 'd'), 'd') as Group).isCollapsed).toBeUndefined();
  });
  test('a phone shows one card at a time', () => {
    const [group, ...others] = groupsOf(flattened(edit.bringForward(sample(), 'b')));
    expect(group).toMatchObject({ cards: ['a', 'b', 'c', 'd'], front: 'b' });
    expect(others).toEqual([]);
    expect(tabOrder(sample())).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('D1 places', () => {
  test('shares and pixels add up to the dock', () => {
    const layout = edit.toggleCollapsed(edit.moveSash(sample(), [], 0, 0.6), 'g-d');
    const { groups, sashes } = placeLayout(layout);
    const at = groups.map(({ box }) => [pixels(box.left, 1000), pixels(box.width, 1000)].map(Math.round));
    expect(at).toEqual([
      [0, 600],
      [600, 400],
      [600, 400],
    ]);
    expect(groups.map(({ box }) => Math.round(pixels(box.height, 500)))).toEqual([500, 464, 36]);
    expect(sashes).toHaveLength(1);
    expect(groups.map(({ isTopLeft, isTopRight }) => [isTopLeft, isTopRight])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(css(bodyOf(groups[0]?.box ?? ({} as never)).height)).toBe('calc(100% + -36px)');
  });
  test('a card is dropped into a strip, on a side, in the middle, at the edge, or floating', () => {
    const box = { left: 0, top: 0, width: 400, height: 400 };
    const strip = { ...box, height: 36 };
    const tab = { ...strip, width: 100 };
    const area = { left: 0, top: 0, width: 800, height: 400 };
    const right = { ...box, left: 400 };
    const groups = [
      { id: 'l', isFloating: false, layer: 0, box, strip, tabs: [tab] },
      { id: 'r', isFloating: false, layer: 0, box: right, strip: { ...strip, left: 400 }, tabs: [] },
    ];
    const drop = (x: number, y: number, isFloat = false) =>
      dropAt({ x, y }, { area, groups, isFloat })?.place;
    expect(drop(20, 20)).toEqual({ group: 'l', at: 0 });
    expect(drop(90, 20)).toEqual({ group: 'l', at: 1 });
    expect(drop(380, 200)).toEqual({ beside: 'l', side: 'right' });
    expect(drop(200, 360)).toEqual({ beside: 'l', side: 'below' });
    expect(drop(600, 200)).toEqual({ group: 'r', at: 0 });
    expect(drop(797, 200)).toMatchObject({ edge: 'right' });
    expect(drop(400, 200, true)).toMatchObject({ float: { x: 0.5, y: 0.5 } });
    expect(drop(900, 200)).toBeUndefined();
  });
});

describe('D1 stored layouts', () => {
  test('are restored exactly', () => {
    const layout = edit.closeCard(edit.toggleMaximized(sample(), 'g-c'), 'a');
    expect(readLayout(JSON.parse(JSON.stringify(layout)))).toEqual(layout);
  });
  test('unknown cards are ignored and empty groups removed', () => {
    const layout = sample();
    const odd = layout.cards.map((each) => (each.id === 'c' ? { ...each, kind: 'from-the-future' } : each));
    const read = readLayout({ ...layout, cards: odd });
    expect(read && tabs(read)).toEqual(['a b', 'd']);
    expect(read?.cards.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
  });
  test('an unreadable layout is rejected', () => {
    for (const bad of [undefined, null, 7, '', {}, { version: 9 }, { ...sample(), root: { type: 'x' } }]) {
      expect(readLayout(bad)).toBeUndefined();
    }
  });
  test('a card in two groups is shown once, a card in none is dropped', () => {
    const layout = sample();
    const twice: Layout = {
      ...layout,
      floats: [
        { x: 0, y: 0, width: 1, height: 1, group: { type: 'group', id: 'f', cards: ['a'], front: 'a' } },
      ],
    };
    expect(tabs(readLayout(twice) as Layout)).toEqual(['a b', 'c', 'd']);
    expect(readLayout({ ...layout, cards: [...layout.cards, card('lost')] })?.cards).toHaveLength(4);
  });
});

describe('D1 presets and neighbors', () => {
  let count = 0;
  const review: DockCard = { id: 'review', kind: 'review', params: { session: 'b' } };
  const sources = {
    makeReview: () => review,
    newId: () => `n${count++}`,
    front: 'b',
    urgent: [],
    stage: { width: 1_170, height: 920 },
  };
  const help: DockCard = { id: 'help', kind: 'help', params: {} };
  /** Help is in front, as after opening it. */
  const withHelp = () => edit.addCard(sample(), help, { group: 'g-d' }, 'new');
  const fronts = (layout: Layout) => groupsOf(layout).map(({ front }) => front);
  test('focus shows the session in front alone; the other tabs can be reopened', () => {
    const layout = presetLayout('focus', withHelp(), sources);
    expect(tabs(layout)).toEqual(['b']);
    expect(layout.closed).toHaveLength(4);
  });
  test('session and panel: one group with the session in front', () => {
    const layout = presetLayout('conversation', withHelp(), sources);
    expect(tabs(layout)).toEqual(['a b c d help']);
    expect(fronts(layout)).toEqual(['b']);
    expect(layout.cards.slice(0, 4)).toEqual(sample().cards);
  });
  test('review shows the session and, wider, its review, whatever else is open', () => {
    const layout = presetLayout('review', withHelp(), sources);
    expect(tabs(layout)).toEqual(['a b c d', 'review help']);
    expect(fronts(layout)).toEqual(['b', 'review']);
    expect(layout.root).toMatchObject({ direction: 'row', sizes: [2 / 5, 3 / 5] });
    expect(tabs(presetLayout('review', layout, sources))).toEqual(['a b c d', 'review help']);
    const without = { ...sources, makeReview: () => undefined };
    expect(tabs(presetLayout('review', sample(), without))).toEqual(['a b c d']);
  });
  test('grid shows open and urgent sessions, the most urgent first, and other tabs behind the last', () => {
    expect(tabs(presetLayout('grid', withHelp(), sources))).toEqual(['a', 'b', 'c', 'd help']);
    const urgent = ['x', 'c', 'y', 'z', ...Array.from({ length: 9 }, (_, at) => `more${at}`)];
    const sessions = (layout: Layout) =>
      fronts(layout).map((front) => layout.cards.find(({ id }) => id === front)?.params.session);
    const some = presetLayout('grid', sample(), { ...sources, urgent: urgent.slice(0, 3) });
    expect(sessions(some)).toEqual(['x', 'c', 'y', 'a', 'b', 'd']);
    expect(sessions(presetLayout('grid', sample(), { ...sources, urgent }))).toHaveLength(9);
    const shape = (width: number, height: number) => {
      const { root } = presetLayout('grid', sample(), { ...sources, urgent, stage: { width, height } });
      if (root?.type !== 'split') return root?.type;
      const parts = root.children.map((each) => (each.type === 'split' ? each.children.length : 1));
      return `${root.direction} ${parts.join(' ')}`;
    };
    expect(shape(1_170, 832)).toBe('column 3 3');
    expect(shape(1_070, 832)).toBe('column 2 2');
    expect(shape(1_500, 400)).toBe('row 1 1 1 1');
    expect(shape(700, 1_000)).toBe('column 1 1 1');
    expect(shape(300, 200)).toBe('group');
    expect(tabs(presetLayout('grid', sample(), { ...sources, stage: { width: 300, height: 200 } }))).toEqual([
      'a b c d',
    ]);
    expect(presetLayout('grid', EMPTY_LAYOUT, sources).root).toBeUndefined();
  });
  test('the neighbor is the group with the longest common edge', () => {
    const layout = sample();
    const side = (id: string, to: 'left' | 'right' | 'above' | 'below') => neighborGroup(layout, id, to)?.id;
    expect([side('g-a', 'right'), side('g-c', 'below'), side('g-d', 'above'), side('g-d', 'left')]).toEqual([
      'g-c',
      'g-d',
      'g-c',
      'g-a',
    ]);
    expect([side('g-a', 'left'), side('g-d', 'below')]).toEqual([undefined, undefined]);
  });
});

describe('D1 layouts of earlier versions', () => {
  test('1 to 2 to 3: adds the conversation, moves the terminal into the column', () => {
    const third = migrateLayout({
      version: 1,
      colSplit: 0.5,
      rowSplits: [0.4, 0.8],
      collapsed: { git: true },
    });
    const column = { type: 'split', direction: 'column' };
    expect(third).toMatchObject({
      version: 3,
      root: { sizes: [2 / 3, expect.closeTo(1 / 3)], children: [{ cards: ['conversation'] }, column] },
    });
    const { sizes, children } = (third as { root: { children: [unknown, Split] } }).root.children[1];
    expect(sizes.map((size) => Math.round(size * 100))).toEqual([25, 30, 30, 15]);
    expect(children.map((child) => (child as Group).cards[0])).toEqual(['terminal', 'git', 'files', 'stats']);
    expect(children[1]).toMatchObject({ isCollapsed: true });
  });
  test('2 to 3 keeps its sizes; another number of sizes is invalid', () => {
    const third = migrateLayout({ version: 2, colSplit: 0.6, rowSplits: [0.1, 0.3, 0.6] });
    expect(third).toMatchObject({ root: { sizes: [0.6, 0.4] } });
    expect(readLayout({ version: 2, colSplit: 0.6, rowSplits: [0.1, 0.3] })).toBeUndefined();
    expect(readLayout({ version: 1, colSplit: 0.6, rowSplits: [0.1, 0.3, 0.5] })).toBeUndefined();
  });
});

test('D7 visible cards are in front, not covered and not collapsed; on a phone only the active one', () => {
  const docked = sample();
  expect(visibleSessions(docked, false)).toEqual(['b', 'c', 'd']);
  expect(visibleSessions(docked, true)).toEqual(['d']);
  expect(visibleSessions(edit.toggleMaximized(docked, 'g-c'), false)).toEqual(['c']);
  expect(visibleSessions(edit.toggleCollapsed(docked, 'g-c'), false)).toEqual(['b', 'd']);
});
