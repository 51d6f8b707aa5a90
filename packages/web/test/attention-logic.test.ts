import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { attentionItems, itemOf, newItems } from '../src/features/attention/attention-items.ts';
import { faviconState, faviconUrl } from '../src/shell/attention/favicon.ts';
import { longTurnEnded } from '../src/shell/attention/offer-notifications.ts';

type Summary = NonNullable<SessionRow['summary']>;
const row = (id: string, summary: Partial<Summary>, more: Partial<SessionRow> = {}): SessionRow => ({
  id,
  project: 'p',
  agent: 'demo',
  title: id,
  createdAt: 0,
  activeAt: 0,
  archived: false,
  live: true,
  seen: 0,
  summary: {
    v: 1,
    agentState: 'connected',
    turn: 'idle',
    waiting: 0,
    entries: 4,
    changedAt: 100,
    ...summary,
  },
  ...more,
});

test('D7 lists requests first, oldest first, then failures, then unseen ends of turns', () => {
  const items = attentionItems([
    row('done', { lastTurn: 'completed' }),
    row('late', { turn: 'waiting', waiting: 1, waitingSince: 50 }),
    row('broken', { lastTurn: 'error' }),
    row('early', { turn: 'waiting', waiting: 2, waitingSince: 20 }),
    row('busy', { turn: 'running' }),
  ]);
  expect(items.map(({ session, kind, count }) => `${session} ${kind} ${count}`)).toEqual([
    'early asks 2',
    'late asks 1',
    'broken failed 0',
    'done finished 0',
  ]);
});

test('D7 omits sessions that were seen, archived, deleted, never started or are external', () => {
  const done: Partial<Summary> = { lastTurn: 'completed' };
  expect(itemOf(row('a', done))).toBeDefined();
  expect(itemOf(row('a', done, { seen: 4 }))).toBeUndefined();
  expect(itemOf(row('a', { lastTurn: 'error' }, { seen: 4 }))).toBeUndefined();
  expect(itemOf(row('a', done, { archived: true }))).toBeUndefined();
  expect(itemOf(row('a', done, { trashedAt: 1 }))).toBeUndefined();
  expect(itemOf(row('a', done, { origin: 'foreign' }))).toBeUndefined();
  expect(itemOf(row('a', {}))).toBeUndefined();
});

test('D7 keeps an open request however often it was viewed', () => {
  const asks: Partial<Summary> = { turn: 'waiting', waiting: 1, waitingSince: 20 };
  expect(itemOf(row('a', asks, { seen: 4 }))).toMatchObject({ kind: 'asks', since: 20 });
});

test('D7 notifies only about new items', () => {
  const first = attentionItems([row('a', { lastTurn: 'completed' })]);
  const next = attentionItems([
    row('a', { lastTurn: 'completed' }),
    row('b', { turn: 'waiting', waiting: 1, waitingSince: 9 }),
  ]);
  expect(newItems(first, next).map(({ session }) => session)).toEqual(['b']);
  const again = attentionItems([row('a', { lastTurn: 'completed' }, { activeAt: 200 })]);
  expect(newItems(first, again)).toHaveLength(1);
  const opened = attentionItems([row('a', { lastTurn: 'completed', changedAt: 200 })]);
  expect(newItems(first, opened)).toEqual([]);
});

test('D7 the icon of the tab counts sessions that need you, else it shows that agents work', () => {
  const asks = row('asks', { turn: 'running', waiting: 1 });
  const works = row('works', { turn: 'running' });
  expect(faviconState([asks, works, row('rest', {})], 0)).toEqual({ needs: 1, isWorking: true });
  expect(faviconState([{ ...asks, archived: true }], 0)).toEqual({ needs: 0, isWorking: false });
  const shown = (needs: number, isWorking: boolean) => decodeURIComponent(faviconUrl({ needs, isWorking }));
  expect(shown(3, true)).toContain('>3</text>');
  expect(shown(12, false)).toContain('>9+</text>');
  expect(shown(0, true)).toContain('<circle');
  expect(shown(0, false)).not.toMatch(/<circle|<text/);
});

test('D7 only a turn of half a minute that ended counts for the offer of notifications', () => {
  const before = [row('a', { turn: 'running', turnStartedAt: 1_000 })];
  const ended = (changedAt: number) =>
    longTurnEnded(before, [row('a', { lastTurn: 'completed', changedAt })])?.id;
  expect(ended(31_000)).toBe('a');
  expect(ended(30_999)).toBeUndefined();
  expect(longTurnEnded(before, [row('a', { turn: 'running', changedAt: 90_000 })])).toBeUndefined();
  expect(longTurnEnded([], [row('a', { lastTurn: 'completed', changedAt: 90_000 })])).toBeUndefined();
});
