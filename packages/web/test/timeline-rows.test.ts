import type { Entry, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { NO_ENTRIES, withEntry } from '@tugdeck/protocol/conversation/entry-store';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { TimelinePoint } from '@tugdeck/protocol/review/timeline';
import { expect, test } from 'vitest';
import { timelineRows } from '../src/cards/timeline/timeline-rows.ts';
import { otherWay } from '../src/features/restore/try-another-way.ts';

const point = (turn: string, at: number, more: Partial<TimelinePoint> = {}): TimelinePoint => ({
  turn,
  at,
  isKept: true,
  ...more,
});
const message = (seq: number, turn: string) =>
  ({ id: `m${seq}`, seq, rev: 0, kind: 'user', turn, at: seq, text: `words ${seq}` }) as unknown as Entry;
const counts = { files: 2, added: 3, removed: 1 };

test('T34 lists turns, changes by others and restores, newest first, and marks turns hidden by a restore', () => {
  const conversation: Conversation = {
    ...EMPTY,
    nextSeq: 8,
    from: 4,
    entries: withEntry(withEntry(NO_ENTRIES, message(4, 't2')), message(6, 't3')),
    turns: [{ id: 't1', firstSeq: 0, prompts: ['m0'], startedAt: 10 }] as never,
    restores: [
      {
        id: 'r1',
        at: 40,
        target: { entry: 'm6' },
        parts: { files: true, conversation: true },
        state: 'done',
        seq: 8,
      },
    ],
    asides: [{ restore: 'r1', from: 6, to: 8 }],
  };
  const points = [point('t1', 10), point('t2', 20, { others: counts }), point('t3', 30)];
  const rows = timelineRows(conversation, { points, more: 5 });
  expect(rows.map(({ kind, id }) => [kind, id])).toEqual([
    ['restore', 'r1'],
    ['turn', 't3'],
    ['turn', 't2'],
    ['others', 'others t2'],
    ['turn', 't1'],
  ]);
  const turns = rows.flatMap((row) => (row.kind === 'turn' ? [row] : []));
  // Numbers count all turns, also those that are not listed; a message that is not loaded has no text.
  expect(turns.map(({ number, isAside, entry }) => [number, isAside, entry?.text])).toEqual([
    [8, true, 'words 6'],
    [7, false, 'words 4'],
    [6, false, undefined],
  ]);
  expect(rows[0]).toMatchObject({ isLast: true });
});

test('T15 T34 only the last restore in effect can be undone from the timeline', () => {
  const restore = (id: string, undoes?: string) => ({
    id,
    at: 1,
    target: { entry: 'm' },
    parts: { files: true, conversation: false },
    state: undoes ? ('undone' as const) : ('done' as const),
    ...(undoes ? { undoes } : {}),
  });
  const last = (restores: Conversation['restores']) =>
    timelineRows({ ...EMPTY, restores }, { points: [], more: 0 })
      .filter((row) => row.kind === 'restore' && row.isLast)
      .map(({ id }) => id);
  expect(last([restore('a'), restore('b')])).toEqual(['b']);
  expect(last([restore('a'), restore('b'), restore('c', 'b')])).toEqual(['c']);
});

test('T36 another way forks where the agent can, attaches the conversation elsewhere, and has files in git', () => {
  const facts = { canFork: 'anywhere', agentSession: 'a1' } as const;
  const entry = message(4, 't2') as UserEntry;
  const commit = 'c'.repeat(40);
  expect(otherWay({ facts }, entry, { isKept: true, commit })).toEqual({ hasFiles: true, memory: 'fork' });
  // Outside of git, or without a checkpoint.
  expect(otherWay({ facts }, entry, { isKept: true })).toEqual({ hasFiles: false, memory: 'fork' });
  expect(otherWay({ facts }, entry, { isKept: false, commit })).toEqual({ hasFiles: false, memory: 'fork' });
  const other = { canFork: 'now', agentSession: 'a1' } as const;
  expect(otherWay({ facts: other }, entry, { isKept: true, commit })).toEqual({
    hasFiles: true,
    memory: 'told',
  });
  expect(otherWay({ facts: other }, entry, { isKept: true })).toBeUndefined();
  expect(otherWay({ facts }, { ...entry, forgotten: true }, { isKept: true, commit })?.memory).toBe('told');
  expect(otherWay({ facts }, { ...entry, seq: 0 }, { isKept: true, commit })?.memory).toBe('new');
});
