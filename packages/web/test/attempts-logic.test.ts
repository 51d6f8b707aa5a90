/** Which sessions are attempts at one message, and how many would wait (B37). */
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { attemptPlace, letterOf, waitingText, withCount } from '../src/features/workspaces/attempts.ts';
import { groupAttempts } from '../src/kit/projects.ts';

const row = (id: string, changes: Partial<SessionRow> = {}): SessionRow => ({
  ...{ id, project: 'p', agent: 'a', title: id, createdAt: 1, activeAt: 1, archived: false, live: false },
  ...changes,
});
const group = (id: string, sessions: readonly string[], changes: Partial<AttemptsRow> = {}): AttemptsRow => ({
  ...{ id, project: 'p', title: 'Faster', baseCommit: 'c', createdAt: 1 },
  attempts: sessions.map((session) => ({ session, workspace: `w-${session}`, agent: 'a' })),
  ...changes,
});
const working = {
  live: true,
  summary: { v: 1, agentState: 'connected', turn: 'running', waiting: 0, entries: 1, changedAt: 1 },
} as const;

test('B37 changing the number of attempts keeps the chosen agents, up to six', () => {
  const chosen = withCount([{ agent: 'b' }], 3);
  expect(chosen).toEqual([{ agent: 'b' }, {}]);
  expect(withCount(chosen, 1)).toEqual([]);
  expect(withCount(chosen, 99)).toHaveLength(5);
});

test('B37 says in advance how many attempts would be queued, on the machine of the project', () => {
  const limits = { turns: 16, agents: 4 };
  const deck = {
    projects: [
      { id: 'p', machine: 'here', path: '/p', name: 'p', addedAt: 1 },
      { id: 'q', machine: 'there', path: '/q', name: 'q', addedAt: 1 },
    ],
    machines: [
      { id: 'there', state: 'online', agents: [], defaultAgent: '', limits: { turns: 1, agents: 4 } },
    ],
    sessions: [row('s', { machine: 'here', ...working }), row('t', { machine: 'there' })],
    ...{ agents: [], defaultAgent: '', limits },
  } satisfies Deck;
  expect(waitingText(deck, 'p', 3, 0)).toBeUndefined();
  expect(waitingText(deck, 'p', 5, 0)).toBe(
    'At most 4 agents run at once, and 1 is running: 2 of 5 attempts will be queued.',
  );
  expect(waitingText(deck, 'q', 2, 0)).toBe('At most 1 agent runs at once: 1 of 2 attempts will be queued.');
});

test('B37 attempts are listed together, until one is chosen', () => {
  const rows = [row('x'), row('b'), row('a')];
  const { attempts, others } = groupAttempts(rows, [group('g', ['a', 'b', 'gone'])]);
  expect(attempts.map(({ rows: own }) => own.map(({ id }) => id))).toEqual([['a', 'b']]);
  expect(others.map(({ id }) => id)).toEqual(['x']);
  expect(groupAttempts(rows, [group('g', ['a', 'b'], { chosen: 'a' })]).others).toHaveLength(3);
  const groups = [group('g', ['a', 'b'])];
  expect(attemptPlace(groups, row('b'))).toMatchObject({ number: 2, group: { id: 'g' } });
  expect(attemptPlace(groups, row('x'))).toBeUndefined();
  expect(letterOf(2)).toBe('B');
});

test('B37 N21 a group of another machine cannot claim sessions of other projects', () => {
  const groups = [group('g', ['a', 'b'], { project: 'theirs' })];
  expect(attemptPlace(groups, row('a'))).toBeUndefined();
  expect(groupAttempts([row('a')], groups)).toMatchObject({ attempts: [], others: [{ id: 'a' }] });
});
