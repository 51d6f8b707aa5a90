import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { describe, expect, test } from 'vitest';
import { type BoardQuery, boardOf, headline, lanesOf, neighbor } from '../src/cards/home/board.ts';
import { doneSteps } from '../src/kit/getting-started.ts';
import { urgentSessions } from '../src/shell/dock/urgent-sessions.ts';
import { fleetCounts } from '../src/shell/fleet-counts.ts';

const NOW = new Date(2026, 4, 20, 12).getTime();
const DAY = 24 * 3_600_000;
const summary: Summary = {
  v: 1,
  agentState: 'connected',
  turn: 'idle',
  waiting: 0,
  entries: 3,
  changedAt: NOW - 1_000,
};
const row = (id: string, own: Partial<Summary>, rest: Partial<SessionRow> = {}): SessionRow => ({
  id,
  project: 'p1',
  agent: 'demo',
  title: id,
  createdAt: 0,
  activeAt: NOW - 1_000,
  archived: false,
  live: true,
  ...rest,
  summary: { ...summary, ...own },
});
const ended = { lastTurn: 'completed' } as const;
const changes = { files: 1, added: 2, removed: 1, last: 3 };
const deck = {
  projects: [
    { id: 'p1', path: '/a', name: 'harbor', addedAt: 0 },
    { id: 'p2', path: '/b', name: 'website', addedAt: 0 },
  ],
  sessions: [
    row('late', { waiting: 1, waitingSince: NOW - 10 }),
    row('early', { waiting: 1, waitingSince: NOW - 20, request: 'npm publish' }, { project: 'p2' }),
    row('work', { turn: 'running', turnStartedAt: NOW - 5 }),
    row('changed', { ...ended, changes }),
    row('finished', ended),
    row('old', { ...ended, changedAt: NOW - 3 * DAY }, { seen: 3, activeAt: NOW - 3 * DAY }),
    row('husk', { entries: 0 }),
    row('hidden', ended, { archived: true }),
    row('trashed', ended, { trashedAt: 1 }),
    row('lost', ended, { project: 'gone' }),
  ],
};
const board = (own: Partial<BoardQuery> = {}) =>
  boardOf(deck, { grouping: 'state', text: '', project: undefined, now: NOW, reviewed: {}, ...own });
const shape = (own?: Partial<BoardQuery>) =>
  Object.fromEntries(board(own).columns.map(({ id, cards }) => [id, cards.map((card) => card.row.id)]));

describe('D15 the board', () => {
  test('has a column per state; the longest wait is first, and empty columns keep their place', () => {
    expect(shape()).toEqual({
      needs: ['early', 'late'],
      working: ['work'],
      review: ['changed'],
      done: ['finished'],
    });
    expect(board().rest.map(({ title, cards }) => [title, cards.map((card) => card.row.id)])).toEqual([
      ['Last 7 days', ['old']],
    ]);
    expect(Object.keys(shape({ text: 'nothing like it' }))).toEqual(['needs', 'working', 'review', 'done']);
  });

  test('has queued and failed sessions only when there are any', () => {
    const more = [row('q', { queued: 1, agentState: 'idle' }), row('f', { lastTurn: 'error' })];
    const all = { ...deck, sessions: [...deck.sessions, ...more] };
    const query = { grouping: 'state', text: '', project: undefined, now: NOW, reviewed: {} } as const;
    expect(boardOf(all, query).columns.map(({ id }) => id)).toEqual([
      'needs',
      'working',
      'queued',
      'failed',
      'review',
      'done',
    ]);
  });

  test('is grouped by project, and filtered by project and by text of title, project or request', () => {
    expect(shape({ grouping: 'project' })).toEqual({
      p1: ['late', 'work', 'changed', 'finished'],
      p2: ['early'],
    });
    expect(shape({ project: 'p2' })).toMatchObject({ needs: ['early'], working: [] });
    expect(shape({ text: 'PUBLISH' })).toMatchObject({ needs: ['early'], done: [] });
    expect(shape({ text: 'website' })).toMatchObject({ needs: ['early'] });
  });

  test('a reviewed session is done', () => {
    expect(shape({ reviewed: { changed: 3 } })).toMatchObject({ review: [], done: ['changed', 'finished'] });
  });

  test('the headline names the most urgent state', () => {
    expect(headline(board().counts)).toBe('2 agents need you');
    expect(headline({ ...board().counts, needs: 0 })).toBe('1 agent is working');
    expect(headline({ ...board().counts, needs: 0, working: 0, review: 0 })).toBe('All quiet');
  });

  test('queued sessions are below working ones, and sessions ready to review below failed ones', () => {
    const lanes = (ids: string[]) =>
      lanesOf(ids.map((id) => ({ id }))).map((lane) => lane.map(({ id }) => id));
    expect(lanes(['needs', 'working', 'queued', 'failed', 'review', 'done'])).toEqual([
      ['needs'],
      ['working', 'queued'],
      ['failed', 'review'],
      ['done'],
    ]);
    expect(lanes(['needs', 'working', 'review', 'done'])).toHaveLength(4);
    expect(lanes(['p1', 'p2'])).toEqual([['p1'], ['p2']]);
  });

  test('arrows move inside a column and to the nearest card of the next', () => {
    const columns = [['a', 'b', 'c'], [], ['d']];
    expect(neighbor(columns, undefined, 'ArrowDown')).toBe('a');
    expect(neighbor(columns, undefined, 'Enter')).toBeUndefined();
    expect(neighbor(columns, 'a', 'ArrowDown')).toBe('b');
    expect(neighbor(columns, 'c', 'ArrowDown')).toBeUndefined();
    expect(neighbor(columns, 'c', 'ArrowRight')).toBe('d');
    expect(neighbor(columns, 'd', 'ArrowLeft')).toBe('a');
    expect(neighbor(columns, 'a', 'ArrowUp')).toBeUndefined();
    expect(neighbor(columns, 'b', 'End')).toBe('c');
    expect(neighbor(columns, 'b', 'x')).toBeUndefined();
  });
});

test('D16 the counters ignore archived sessions', () => {
  expect(fleetCounts(deck.sessions, NOW, {})).toEqual({ needs: 2, working: 1, review: 1 });
});

test('D45 getting started counts what the deck shows and what was tried', () => {
  const demo = { name: 'demo', label: 'Demo', installed: true, detail: '' };
  const empty = { projects: [], sessions: [], agents: [demo], defaultAgent: 'demo' };
  expect(doneSteps({ deck: empty, tried: [], hasReviewed: false })).toEqual([]);
  const claude = { ...demo, name: 'claude' };
  const used = { ...empty, agents: [demo, claude], sessions: [row('a', { entries: 1 })] };
  expect(doneSteps({ deck: used, tried: ['palette'], hasReviewed: true })).toEqual([
    'session',
    'changes',
    'palette',
    'agent',
  ]);
});

test('D1 a grid takes what needs you, works, failed or was not looked at, the latest first', () => {
  const at = (minutes: number) => ({ activeAt: NOW - minutes * 60_000 });
  const seen = { seen: 3 };
  const sessions = [
    row('idle', {}, at(0)),
    row('seen', ended, { ...seen, ...at(1) }),
    row('unread', ended, at(3)),
    row('review', { ...ended, changes }, { ...seen, ...at(2) }),
    row('older', { ...ended, changes }, { ...seen, ...at(4) }),
    row('failed', { lastTurn: 'error' }, at(9)),
    row('queued', { queued: 1, agentState: 'idle' }, at(8)),
    row('works', { turn: 'running' }, at(9)),
    row('asks', { turn: 'running', waiting: 1 }, at(9)),
    row('archived', { turn: 'running' }, { archived: true }),
  ];
  expect(urgentSessions(sessions, NOW, {}, ['idle'])).toEqual([
    'asks',
    'works',
    'queued',
    'failed',
    'review',
    'unread',
    'older',
    'idle',
  ]);
});
