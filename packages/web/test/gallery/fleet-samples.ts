/** A deck with sessions in every state, with long and short names. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { sampleDeck } from './sample-deck.ts';

const MINUTE = 60_000;
const CLAUDE = 'M8 1.5v13M1.5 8h13M3.4 3.4l9.2 9.2M12.6 3.4l-9.2 9.2';
type Summary = NonNullable<SessionRow['summary']>;

export function fleetDeck(): Deck {
  const now = Date.now();
  const row = (
    id: string,
    project: string,
    title: string,
    minutes: number,
    summary: Partial<Summary>,
  ): SessionRow => ({
    id,
    project,
    agent: 'claude',
    title,
    createdAt: now - minutes * MINUTE,
    activeAt: now - minutes * MINUTE,
    archived: false,
    live: true,
    seen: 0,
    summary: {
      v: 1,
      agentState: 'connected',
      turn: 'idle',
      waiting: 0,
      entries: 6,
      changedAt: now - minutes * MINUTE,
      ...summary,
    },
  });
  const asks = (minutes: number, request: string) => ({
    turn: 'running' as const,
    waiting: 1,
    waitingSince: now - minutes * MINUTE,
    request,
  });
  const works = (minutes: number, activity: string) => ({
    turn: 'running' as const,
    turnStartedAt: now - minutes * MINUTE,
    activity,
  });
  const base = sampleDeck();
  return {
    ...base,
    projects: base.projects.map((project, index) => ({
      ...project,
      branch: ['main', 'feature/responsive-navigation-for-small-screens', 'main'][index] ?? 'main',
    })),
    agents: [
      ...base.agents,
      { name: 'claude', label: 'Claude Code', mark: CLAUDE, installed: true, detail: '/usr/bin/claude' },
    ],
    sessions: [
      row('f1', 'p1', 'Publish version 0.2', 2, asks(2, 'npm publish --tag next')),
      row(
        'f2',
        'p2',
        'Find out why the production build takes longer than it did',
        4,
        asks(4, 'Plan to approve'),
      ),
      row('f3', 'p1', 'Fix the flaky reconnect test', 1, {
        ...works(1, 'npm test -- --run reconnect'),
        todos: { done: 3, total: 5 },
        changes: { files: 3, added: 42, removed: 7, last: 5 },
      }),
      row('f4', 'p2', 'Upgrade vite', 12, works(12, 'Reading packages/web/vite.config.ts')),
      row('f5', 'p2', 'Explain how orders are priced', 3, works(3, 'Prices come from three places')),
      row('f6', 'p1', 'Move the settings into one file', 5, { queued: 1, slot: { since: now, ahead: 2 } }),
      row('f7', 'p1', 'Rename deck to board', 8, {
        lastTurn: 'completed',
        changes: { files: 9, added: 1_120, removed: 98, last: 5 },
        activity: 'Renamed in nine files.',
      }),
      row('f8', 'p2', 'Write the changelog', 26, {
        lastTurn: 'completed',
        changes: { files: 1, added: 12, removed: 0, last: 5 },
        activity: 'Written.',
      }),
      row('f9', 'p1', 'Which endpoints are unused?', 61, {
        lastTurn: 'completed',
        activity: 'Two of 41: /v1/ping and /v1/legacy.',
      }),
      row('f10', 'p2', 'Review the login page', 75, {
        lastTurn: 'error',
        activity: 'The API returned 529: overloaded.',
      }),
      ...base.sessions,
    ],
  };
}
