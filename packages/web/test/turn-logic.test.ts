import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import {
  asksAgain,
  continuesAfter,
  turnEndingAt,
  turnFacts,
} from '../src/features/conversation/turn-facts.ts';

const fold = (bodies: readonly ChangeBody[]) =>
  foldAll(
    EMPTY,
    bodies.map((body, index) => ({ ...body, v: index + 1, at: 1_000 * index })),
  );
const started = (turn: string): ChangeBody => ({ kind: 'turn.started', turn, origin: 'agent', prompts: [] });
const ended = (turn: string): ChangeBody => ({ kind: 'turn.ended', turn, endedBy: 'completed' });
const spent = (costUsd: number): ChangeBody => ({
  kind: 'usage.updated',
  usage: { ...NO_USAGE, lastTurn: { ...NO_USAGE, costUsd } },
});
const tool = (id: string, own: object): ChangeBody => ({
  kind: 'entry.opened',
  entry: {
    id,
    kind: 'tool',
    status: 'complete',
    name: 'Edit',
    title: 'a.ts',
    toolKind: 'edit',
    state: 'done',
    ...own,
  },
});
const edit = (id: string, path: string, lines: string[], state = 'done') =>
  tool(id, {
    state,
    diff: [{ path, hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }] }],
  });
const factsOf = (state: Conversation, id: string) => {
  const turn = state.turns.find((each) => each.id === id);
  return turn && turnFacts(state, turn);
};

describe('D19 the figures of a turn', () => {
  test('count each changed file once, and the lines of its finished tools only', () => {
    const state = fold([
      started('t1'),
      edit('e1', 'a.ts', ['-old', '+new', '+more']),
      edit('e2', 'a.ts', ['+again']),
      edit('e3', 'b.ts', ['+refused'], 'denied'),
      tool('e6', { toolKind: 'shell', state: 'denied' }),
      ended('t1'),
      started('t2'),
      edit('e4', 'c.ts', ['-gone']),
      tool('e5', { toolKind: 'shell' }),
      ended('t2'),
    ]);
    const none = { hasTools: true, hasCommands: false, denied: 2 };
    expect(factsOf(state, 't1')).toEqual({ ...none, files: 1, added: 3, removed: 1, durationMs: 5_000 });
    expect(factsOf(state, 't2')).toEqual({
      ...none,
      hasCommands: true,
      denied: 0,
      files: 1,
      added: 0,
      removed: 1,
      durationMs: 3_000,
    });
  });

  test('are unknown while the turn runs and while a part of it is not loaded', () => {
    const running = fold([started('t1'), edit('e1', 'a.ts', ['+x'])]);
    expect(factsOf(running, 't1')).toBeUndefined();
    const done = fold([started('t1'), edit('e1', 'a.ts', ['+x']), ended('t1')]);
    expect(factsOf({ ...done, from: 1 }, 't1')).toBeUndefined();
  });

  test('have the cost that was reported for this turn, also when it is reported again later', () => {
    const state = fold([
      started('t1'),
      spent(0.18),
      ended('t1'),
      started('t2'),
      spent(0.18),
      ended('t2'),
      started('t3'),
      ended('t3'),
      spent(0.05),
    ]);
    expect(state.turns.map(({ costUsd }) => costUsd)).toEqual([0.18, undefined, 0.05]);
  });

  test('stand below the last row of the turn', () => {
    const entry = (turn: string | undefined) => ({ turn }) as Entry;
    expect(turnEndingAt(entry('t1'), undefined)).toBe('t1');
    expect(turnEndingAt(entry('t1'), entry(undefined))).toBe('t1');
    expect(turnEndingAt(entry('t1'), entry('t2'))).toBe('t1');
    expect(turnEndingAt(entry('t1'), entry('t1'))).toBeUndefined();
    expect(turnEndingAt(entry(undefined), entry('t1'))).toBeUndefined();
  });

  test('appear once, below the last row, if a notice without a turn is in between', () => {
    const state = fold([
      started('t1'),
      edit('e1', 'a.ts', ['+x']),
      {
        kind: 'entry.opened',
        entry: { id: 'n', kind: 'notice', status: 'complete', notice: 'info', level: 'info', text: 'x' },
      },
      edit('e2', 'b.ts', ['+x']),
      ended('t1'),
    ]);
    expect(continuesAfter(state, 't1', 0)).toBe(true);
    expect(continuesAfter(state, 't1', 2)).toBe(false);
  });
});

describe('A8 an answer that the agent discarded', () => {
  const answer = (id: string): ChangeBody => ({
    kind: 'entry.opened',
    entry: { id, kind: 'text', status: 'partial', text: 'Prices', turn: 't1' },
  });
  const closed = (entry: string, text: string): ChangeBody => ({
    kind: 'entry.closed',
    entry,
    status: 'cancelled',
    patch: { text },
  });
  test('is known until something follows, and is not one that was interrupted', () => {
    const given = [started('t1'), answer('a1'), closed('a1', '')];
    expect(asksAgain(fold(given))).toBe(true);
    expect(asksAgain(fold([started('t1'), answer('a1')]))).toBe(false);
    expect(asksAgain(fold([started('t1'), answer('a1'), closed('a1', 'Prices')]))).toBe(false);
    expect(asksAgain(fold([...given, answer('a2')]))).toBe(false);
    expect(asksAgain(fold([...given, ended('t1')]))).toBe(false);
  });
});
