import type { Client } from '@tugdeck/client/client';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSession, faultText } from '../src/kit/deck-actions.ts';
import { ago, bytes, cost, count, duration, elapsed } from '../src/kit/format.ts';
import { addCard, bringForward, nearestPlace } from '../src/kit/layout/edit-layout.ts';
import { EMPTY_LAYOUT } from '../src/kit/layout/layout.ts';
import { unstartedSession } from '../src/kit/new-session.ts';
import { newestSession } from '../src/kit/newest-session.ts';
import { cardOfProject, groupProjects, isUnstarted, lastActive, usableAgent } from '../src/kit/projects.ts';
import { hashOfSession, sessionOfHash } from '../src/kit/route.ts';
import { type StateRow, sessionState, stateText, stateTime } from '../src/kit/session-state.ts';
import { spentText, upstreamText, usageMark } from '../src/shell/bars/bar-facts.ts';
import { slotCounts } from '../src/shell/fleet-counts.ts';
import { sampleDeck } from './gallery/sample-deck.ts';

describe('D2 cards', () => {
  test('D5 the URL names only the session', () => {
    expect(sessionOfHash(hashOfSession('abc-1'))).toBe('abc-1');
    expect(sessionOfHash('#/session/../../x')).toBeUndefined();
    expect(sessionOfHash('')).toBeUndefined();
  });
});

describe('D2 projects', () => {
  const deck = sampleDeck();
  test('lists sessions under their project, newest first, without archived ones', () => {
    const [first] = groupProjects(deck, '');
    expect(first?.sessions.map(({ id }) => id)).toEqual(['samples', 'failed', 'rest']);
    const archived = { ...deck, sessions: deck.sessions.map((row) => ({ ...row, archived: true })) };
    expect(groupProjects(archived, '').flatMap(({ sessions }) => sessions)).toEqual([]);
  });
  test('D43 a session without a message is not listed, and New session finds it again', () => {
    const [row] = deck.sessions;
    if (!row) throw new Error('no row');
    const summary: Summary = { v: 1, agentState: 'idle', turn: 'idle', waiting: 0, entries: 0, changedAt: 0 };
    const empty = { ...row, id: 'empty', title: 'New session', summary };
    const cases: Record<string, boolean> = {
      empty: isUnstarted(empty),
      unwritten: isUnstarted({ ...empty, summary: undefined }),
      queued: isUnstarted({ ...empty, summary: { ...summary, queued: 1 } }),
      written: isUnstarted({ ...empty, summary: { ...summary, entries: 1 } }),
      adopted: isUnstarted({ ...empty, title: 'Theirs', summary: undefined }),
      external: isUnstarted({ ...empty, origin: 'foreign' }),
      fork: isUnstarted({ ...empty, parent: 'p' }),
    };
    expect(Object.keys(cases).filter((name) => cases[name])).toEqual(['empty', 'unwritten']);
    const more = { ...deck, sessions: [...deck.sessions, empty] };
    expect(groupProjects(more, '')[0]?.sessions.length).toBe(groupProjects(deck, '')[0]?.sessions.length);
    expect(lastActive({ ...more, sessions: [empty] })).toBeUndefined();
    expect(unstartedSession(more, row.project, row.agent)?.id).toBe('empty');
    expect(unstartedSession(more, row.project, 'demo')).toBeUndefined();
    const elsewhere = { ...deck, sessions: [{ ...empty, workspace: 'w' }] };
    expect(unstartedSession(elsewhere, row.project, row.agent)).toBeUndefined();
  });
  test('A6 continues the newest session of a project with an agent', () => {
    const [row] = deck.sessions;
    if (!row) throw new Error('no session');
    const at = (id: string, activeAt: number, more = {}) => ({ ...row, id, activeAt, ...more });
    const sessions = [
      at('old', 1),
      at('newest', 3, { origin: 'foreign' }),
      at('archived', 4, { archived: true }),
      at('trashed', 5, { trashedAt: 5 }),
      at('other agent', 6, { agent: 'another' }),
      at('other project', 7, { project: 'another' }),
    ];
    expect(newestSession({ sessions }, row.project, row.agent)?.id).toBe('newest');
    expect(newestSession({ sessions }, row.project, 'none')).toBeUndefined();
  });
  test('filters by project and title', () => {
    expect(groupProjects(deck, 'LOGIN').map(({ sessions }) => sessions.length)).toEqual([1]);
    expect(groupProjects(deck, 'website')[0]?.sessions.length).toBe(2);
  });
  test('D12 the last active session is shown, with an agent that is installed', () => {
    expect(lastActive(deck)?.id).toBe('samples');
    expect(lastActive(deck, 'p2')?.id).toBe('long');
    expect(lastActive(deck, 'p3')).toBeUndefined();
    expect(usableAgent({ ...deck, defaultAgent: 'missing' })).toBe('sample');
  });
});

describe('D12 an automatically created session', () => {
  afterEach(() => vi.unstubAllGlobals());
  const begin = async (isWanted?: () => boolean) => {
    const address = { hash: '#/' };
    vi.stubGlobal('location', address);
    const request = () => {
      // The user has opened another session in between.
      address.hash = '#/session/chosen';
      return Promise.resolve({});
    };
    await createSession({ request } as unknown as Client, 'p1', 'sample', { isWanted });
    return sessionOfHash(address.hash);
  };
  test('is not shown if the user opened another one; a requested session is', async () => {
    expect(await begin(() => sessionOfHash(location.hash) === undefined)).toBe('chosen');
    expect(await begin()).not.toBe('chosen');
  });
});

describe('D12 a requested project that is already open', () => {
  const { sessions } = sampleDeck();
  const tabs = [
    { id: 'talk', kind: 'conversation', params: { session: 'samples' } },
    { id: 'older', kind: 'conversation', params: { session: 'rest' } },
    { id: 'shell', kind: 'terminal', params: { project: 'p1', item: 't' } },
  ].reduce((now, card) => addCard(now, card, nearestPlace(now), 'g'), EMPTY_LAYOUT);
  const elsewhere = addCard(
    tabs,
    { id: 'other', kind: 'conversation', params: { session: 'long' } },
    { edge: 'right' },
    'h',
  );
  test('W1 keeps its terminal in front, as after a server restart', () => {
    expect(cardOfProject('p1', bringForward(tabs, 'shell'), sessions)?.id).toBe('shell');
    expect(cardOfProject('p1', bringForward(elsewhere, 'shell'), sessions)?.id).toBe('shell');
  });
  test('prefers a card in front, and the last used of several', () => {
    expect(cardOfProject('p1', elsewhere, sessions)?.id).toBe('shell');
    expect(cardOfProject('p2', bringForward(elsewhere, 'talk'), sessions)?.id).toBe('other');
    expect(cardOfProject('p1', { ...elsewhere, root: undefined }, sessions)?.id).toBe('talk');
    expect(cardOfProject('p3', elsewhere, sessions)?.id).toBeUndefined();
  });
});

describe('D2 live state', () => {
  const summary: Summary = {
    v: 1,
    agentState: 'connected',
    turn: 'idle',
    waiting: 0,
    entries: 1,
    changedAt: 0,
  };
  const [sample] = sampleDeck().sessions as [SessionRow];
  const NOW = new Date(2026, 4, 20, 12).getTime();
  const DAY = 24 * 3_600_000;
  const state = (own: Partial<Summary>, row: Partial<StateRow> = {}, reviewed?: number) =>
    sessionState(
      { live: true, activeAt: NOW - 1_000, ...row, summary: { ...summary, ...own } },
      { now: NOW, reviewed },
    );
  const ended = { lastTurn: 'completed' } as const;
  const changes = { files: 2, added: 3, removed: 1, last: 1 };

  test('D14 a request has priority over a running turn, a failed agent over both ends', () => {
    expect(state({ turn: 'running', waiting: 1 })).toBe('needs');
    expect(state({ turn: 'running' })).toBe('working');
    expect(state({ agentState: 'failed' })).toBe('failed');
    expect(state({ ...ended, lastTurn: 'error' })).toBe('failed');
    expect(state({})).toBe('idle');
    expect(sessionState(undefined, { now: NOW })).toBe('idle');
  });
  test('D14 a session without a host is neither working nor needs the user', () => {
    expect(state({ turn: 'running', waiting: 1 }, { live: false })).toBe('idle');
  });
  test('D14 a prompt without a turn is queued, or working while the agent starts', () => {
    expect(state({ queued: 1, agentState: 'idle' })).toBe('queued');
    expect(state({ queued: 1, agentState: 'starting' })).toBe('working');
    expect(state({ queued: 1, agentState: 'idle' }, { live: false })).toBe('idle');
  });
  test('D40 a session that waits for a slot is queued, with its place', () => {
    const queued = (ahead?: number) => ({
      queued: 1,
      slot: { since: 1, ...(ahead === undefined ? {} : { ahead }) },
    });
    expect(state({ ...queued(2), agentState: 'connected' })).toBe('queued');
    const text = (ahead?: number) =>
      stateText({ ...sample, summary: { ...summary, ...queued(ahead) } }, 'queued');
    expect([text(2), text(0), text()]).toEqual(['Queued · 2 ahead', 'Queued · next', 'Queued']);
  });
  test('D17 the status bar adds the usage of today, with cost only if agents report it', () => {
    const row = {
      ...{ day: '2026-01-02', session: 's', project: 'p', title: 't', agent: 'a', model: 'm' },
      ...{ inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 30_000, cacheWriteTokens: 0, costUsd: 0 },
    };
    expect(spentText([])).toBeUndefined();
    expect(spentText([{ ...row, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }])).toBeUndefined();
    expect(spentText([row])).toBe('31.2k tokens');
    expect(spentText([row, { ...row, session: 'other', costUsd: 3.4 }])).toBe('62.4k tokens · $3.40');
    const deck = sampleDeck();
    const [first, ...rest] = deck.sessions;
    if (!first) throw new Error('no session');
    const idle: Summary = { v: 1, agentState: 'idle', turn: 'idle', waiting: 0, entries: 0, changedAt: 0 };
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };
    const more = { ...deck, sessions: [{ ...first, summary: { ...idle, usage } }, ...rest] };
    expect(usageMark(more)).not.toBe(usageMark(deck));
    expect(usageMark({ ...more })).toBe(usageMark(more));
  });
  test('D17 the status bar counts commits to push and pull', () => {
    const status = { kind: 'repository' as const, prefix: '', stashes: 0, files: [], more: 0 };
    const at = (ahead: number, behind: number, gone = false) =>
      upstreamText({ ...status, upstream: { name: 'origin/main', ahead, behind, gone } });
    expect(upstreamText(undefined)).toBeUndefined();
    expect(upstreamText({ kind: 'none' })).toBeUndefined();
    expect(upstreamText(status)).toBeUndefined();
    expect(at(0, 0)).toEqual({ text: '', detail: 'Same as origin/main' });
    expect(at(2, 0)).toEqual({ text: '↑2', detail: '2 commits to push (origin/main)' });
    expect(at(1, 3)?.text).toBe('↑1 ↓3');
    expect(at(0, 0, true)).toEqual({ text: '', detail: 'origin/main no longer exists' });
  });
  test('D17 D40 the status bar counts working agents, not those that need the user or are idle', () => {
    const row = (own: Partial<Summary>): SessionRow => ({
      ...sample,
      live: true,
      summary: { ...summary, ...own },
    });
    const sessions = [
      row({ turn: 'running' }),
      row({ turn: 'waiting', waiting: 1 }),
      row({}),
      row({ queued: 1, agentState: 'idle', slot: { since: 1, ahead: 0 } }),
      { ...row({ turn: 'running' }), live: false },
    ];
    expect(slotCounts({ sessions, limits: { turns: 16, agents: 32 } })).toEqual({
      text: '1/16 working · 1 queued',
      detail: '1 working, at most 16 at once. 3 agent processes running, at most 32.',
    });
    expect(slotCounts({ sessions: [] }).text).toBe('0 working');
  });
  test('D14 changes are ready to review until their review was opened, for a week', () => {
    expect(state({ ...ended, changes })).toBe('review');
    expect(state({ ...ended, changes }, {}, 1)).toBe('done');
    expect(state({ ...ended, changes, entries: 5 }, { seen: 5 })).toBe('review');
    expect(state({ ...ended, changes }, { seen: 1, activeAt: NOW - 8 * DAY })).toBe('idle');
  });
  test('D14 a finished turn is done today, and later until it was seen', () => {
    expect(state(ended, { seen: 1 })).toBe('done');
    expect(state(ended, { seen: 1, activeAt: NOW - DAY })).toBe('idle');
    expect(state({ ...ended, changedAt: NOW }, { seen: 1, activeAt: NOW - DAY })).toBe('idle');
    expect(state(ended, { activeAt: NOW - DAY })).toBe('done');
  });
  test('D14 the time of a turn and of a request has seconds in its first minute', () => {
    const row = { activeAt: 0, summary: { waitingSince: 0, turnStartedAt: 0 } } as SessionRow;
    for (const busy of ['needs', 'working'] as const) {
      expect(stateTime(row, busy, 59_000)).toBe('59s');
      expect(stateTime(row, busy, 95_000)).toBe('1m');
    }
  });
  test('D14 the time of a session without a turn is that of its last activity', () => {
    // Opening it starts its agent, which changes the summary.
    const row = { activeAt: NOW - 95_000, summary: { ...summary, changedAt: NOW } } as SessionRow;
    for (const over of ['review', 'done', 'failed', 'idle'] as const)
      expect(stateTime(row, over, NOW)).toBe('1m');
  });
  test('D14 an external session is in another program or idle', () => {
    expect(state({ turn: 'running' }, { elsewhere: true, origin: 'foreign' })).toBe('elsewhere');
    expect(state(ended, { origin: 'foreign' })).toBe('idle');
  });
  test('D14 the text names the request, the activity, the files and the reason', () => {
    const text = (own: Partial<Summary>) => {
      const full: SessionRow = { ...sample, live: true, summary: { ...summary, ...own } };
      return stateText(full, sessionState(full, { now: NOW }));
    };
    expect(text({ waiting: 1, request: 'Run npm publish' })).toBe('Needs you · Run npm publish');
    expect(text({ turn: 'running', activity: '$ npm test' })).toBe('Working · $ npm test');
    expect(text({ ...ended, changes })).toBe('Ready to review · 2 files');
    expect(text({ agentState: 'failed', agentReason: 'exit 1' })).toBe('Failed · exit 1');
    expect(text(ended)).toBe('Done');
  });
});

test('D2 formats numbers for display', () => {
  expect([40, 1300, 12_000, 64_000, 3_700_000].map(duration)).toEqual([
    '40ms',
    '1.3s',
    '12s',
    '1m 4s',
    '1h 1m',
  ]);
  expect([0, 1_900, 61_000].map(elapsed)).toEqual(['0s', '1s', '1m 1s']);
  expect([5, 59, 60 * 25, 60 * 24 * 3].map((minutes) => ago(0, minutes * 60_000))).toEqual([
    '5m',
    '59m',
    '1d',
    '3d',
  ]);
  expect([999, 18_400, 182_000, 1_500_000].map(count)).toEqual(['999', '18.4k', '182k', '1.5M']);
  expect([0, 0.004, 0.324].map(cost)).toEqual(['$0.00', '< $0.01', '$0.32']);
});

test('W2 formats sizes in a suitable unit', () => {
  expect([5, 2048, 5.5 * 1024 ** 2, 3 * 1024 ** 3].map(bytes)).toEqual(['5 B', '2 KB', '5.5 MB', '3.0 GB']);
});

test('S2 separates message and hint into two sentences', () => {
  const text = (message: string) => faultText(Object.assign(new Error(message), { hint: 'Try again.' }));
  expect(text('git refused')).toBe('git refused. Try again.');
  expect(text('Really?')).toBe('Really? Try again.');
  expect(faultText(new Error('no hint'))).toBe('no hint');
});
