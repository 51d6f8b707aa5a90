import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { pinned, togglePin } from '../src/kit/pinned.ts';
import { heldList, type SidebarList, sidebarList } from '../src/shell/sidebar-sections.ts';
import { sampleDeck } from './gallery/sample-deck.ts';

const NOW = new Date(2026, 4, 20, 12).getTime();
const summary: Summary = {
  v: 1,
  agentState: 'connected',
  turn: 'idle',
  waiting: 0,
  entries: 3,
  changedAt: NOW - 1_000,
};
const base = sampleDeck();
const deckWith = (own: Readonly<Record<string, Partial<Summary>>>) => ({
  ...base,
  sessions: base.sessions.map(
    (row): SessionRow => ({ ...row, live: true, summary: { ...summary, ...own[row.id] } }),
  ),
});
const shape = ({ sections, projects }: SidebarList) => ({
  sections: Object.fromEntries(sections.map(({ id, rows }) => [id, rows.map((row) => row.id)])),
  projects: Object.fromEntries(
    projects.map(({ project, sessions }) => [project.id, sessions.map(({ id }) => id)]),
  ),
});
const query = { filter: '', now: NOW, reviewed: {} };

test('D18 a session is listed once, by its state', () => {
  const deck = deckWith({
    samples: { waiting: 1 },
    failed: { turn: 'running' },
    long: { queued: 1, agentState: 'idle' },
  });
  expect(shape(sidebarList(deck, query))).toEqual({
    sections: { needs: ['samples'], working: ['failed', 'long'] },
    projects: { p1: ['rest'], p2: ['old'], p3: [] },
  });
  expect(sidebarList(deck, query).sections.map(({ queued }) => queued)).toEqual([0, 1]);
  const filtered = shape(sidebarList(deck, { ...query, filter: 'login' }));
  expect(filtered).toEqual({ sections: {}, projects: { p1: ['samples'] } });
});

test('D18 a held list keeps the places and shows new rows of the same sessions', () => {
  const before = sidebarList(deckWith({ samples: { waiting: 1 } }), query);
  const later = deckWith({ failed: { turn: 'running' } });
  const archived = later.sessions.map((row) => (row.id === 'rest' ? { ...row, archived: true } : row));
  const held = heldList(before, { ...later, sessions: archived });
  expect(shape(held)).toEqual({
    sections: { needs: ['samples'] },
    projects: { p1: ['failed'], p2: ['long', 'old'], p3: [] },
  });
  expect(held.sections[0]?.rows[0]?.summary?.waiting).toBe(0);
});

test('D46 pinned sessions are first in their project, the last pinned one first', () => {
  const deck = deckWith({});
  const order = (pinned: readonly string[]) => shape(sidebarList(deck, { ...query, pinned })).projects.p1;
  expect(order([])).toEqual(['samples', 'failed', 'rest']);
  expect(order(['rest', 'failed'])).toEqual(['rest', 'failed', 'samples']);
  pinned.set([]);
  for (const id of ['a', 'b']) togglePin(id);
  expect(pinned.get()).toEqual(['b', 'a']);
  togglePin('b');
  expect(pinned.get()).toEqual(['a']);
});
