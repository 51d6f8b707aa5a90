import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { describe, expect, test } from 'vitest';
import { DeckRows } from '../src/deck-rows.ts';

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
});
