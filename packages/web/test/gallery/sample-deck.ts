import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';

const MINUTE = 60_000;

function row(id: string, project: string, title: string, minutes: number): SessionRow {
  const at = Date.now() - minutes * MINUTE;
  return { id, project, agent: 'sample', title, createdAt: at, activeAt: at, archived: false, live: true };
}

/** Of a session with a message, which is therefore listed (D43). */
const STARTED = { v: 1, agentState: 'idle', turn: 'idle', waiting: 0, entries: 1, changedAt: 0 } as const;

export function sampleDeck(): Deck {
  return {
    projects: [
      { id: 'p1', path: '/home/me/tugdeck', name: 'tugdeck', addedAt: 0, trust: 'yes' },
      {
        id: 'p2',
        path: '/home/me/website-with-a-rather-long-name',
        name: 'website-with-a-rather-long-name-for-a-list',
        addedAt: 0,
        trust: 'yes',
      },
      { id: 'p3', path: '/home/me/empty', name: 'empty', addedAt: 0, trust: 'yes' },
    ],
    sessions: [
      row('samples', 'p1', 'Fix the failing login test', 0),
      row('failed', 'p1', 'Rename things in the parser and everything that depends on it', 26),
      { ...row('rest', 'p1', '', 190), summary: STARTED, seen: 1 },
      { ...row('long', 'p2', 'A very long history', 60 * 30), live: false },
      { ...row('old', 'p2', 'Try another font', 60 * 24 * 9), live: false },
    ],
    agents: [
      {
        name: 'sample',
        label: 'Sample agent',
        mark: 'M6 4 2.5 8 6 12M10 4l3.5 4-3.5 4',
        installed: true,
        detail: 'found in /usr/local/bin',
      },
      { name: 'demo', label: 'Demo', installed: true, detail: 'works offline, for a first look' },
      { name: 'missing', label: 'Missing agent', installed: false, detail: 'npm install -g missing-agent' },
    ],
    defaultAgent: 'sample',
  };
}
