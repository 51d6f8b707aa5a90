import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { describe, expect, test } from 'vitest';
import { DeckRows } from '../src/deck-rows.ts';
import { World } from './simulated-world.ts';

const HEAD = {
  projects: [{ id: 'p', path: '/p', name: 'p', addedAt: 1 }],
  agents: [],
  defaultAgent: 'demo',
};

function row(id: string, title = id, project = 'p'): SessionRow {
  return { id, project, agent: 'demo', title, createdAt: 1, activeAt: 1, archived: false, live: false };
}

const ids = ({ sessions }: Deck): string[] => sessions.map(({ id }) => id);

describe('deck rows', () => {
  test('S5 keeps earlier rows until the last part of a long list has arrived', () => {
    const rows = new DeckRows();
    rows.restore({ ...HEAD, sessions: [row('old'), row('a', 'before')] });
    const first = rows.welcome({ ...HEAD, sessions: [row('a', 'now')], more: true });
    expect(first).toMatchObject({ more: true });
    expect(ids(first)).toEqual(['old', 'a']);
    expect(first.sessions[1]?.title).toBe('now');
    expect(ids(rows.rows({ type: 'rows', rows: [row('b')], more: true }))).toEqual(['old', 'a', 'b']);
    // A row changes while the list is still arriving.
    rows.rows({ type: 'rows', rows: [row('fresh')] });
    const whole = rows.rows({ type: 'rows', rows: [row('c')], more: false });
    expect(ids(whole)).toEqual(['a', 'b', 'fresh', 'c']);
    expect(whole.more).toBeUndefined();
  });

  test('S5 applies single changes after the list', () => {
    const rows = new DeckRows();
    const before = rows.welcome({ ...HEAD, sessions: [row('a'), row('b')] });
    const after = rows.rows({ type: 'rows', rows: [row('a', 'renamed')], gone: ['b', 'nobody'] });
    expect(after.sessions).toEqual([row('a', 'renamed')]);
    expect(ids(before)).toEqual(['a', 'b']);
    expect(ids(rows.rows({ type: 'rows', rows: [row('b')] }))).toEqual(['a', 'b']);
  });

  test('S4 removes the rows of a removed project, and accepts a list without a welcome', () => {
    const rows = new DeckRows();
    rows.welcome({ ...HEAD, sessions: [row('a'), row('b', 'b', 'q')] });
    expect(ids(rows.head(HEAD))).toEqual(['a']);
    rows.rows({ type: 'rows', rows: [row('c')], more: true });
    expect(ids(rows.rows({ type: 'rows', rows: [], more: false }))).toEqual(['c']);
  });

  test('D15 live lines change together, twice a second; a change of state is shown at once', async () => {
    const world = new World();
    const client = world.page();
    await world.settle();
    const push = async (activity: string, turn: 'running' | 'idle' = 'running') => {
      const summary = { v: 1, agentState: 'connected', turn, waiting: 0, entries: 1, changedAt: 1, activity };
      const [socket] = world.openSockets;
      if (!socket) throw new Error('no socket');
      world.push(socket, { type: 'session', row: { ...row('a'), summary } as SessionRow });
      await world.settle();
    };
    const shown = () => client.deck.get()?.sessions[0]?.summary?.activity;
    await push('first');
    expect(shown()).toBe('first');
    let changes = 0;
    client.deck.subscribe(() => changes++);
    for (let one = 0; one < 20; one++) await push(`line ${one}`);
    expect({ changes, shown: shown() }).toEqual({ changes: 0, shown: 'first' });
    world.clock.advance(500);
    await world.settle();
    expect({ changes, shown: shown() }).toEqual({ changes: 1, shown: 'line 19' });
    await push('more');
    await push('done', 'idle');
    expect({ changes, shown: shown() }).toEqual({ changes: 2, shown: 'done' });
    world.clock.advance(500);
    await world.settle();
    expect(changes).toBe(2);
  });
});
