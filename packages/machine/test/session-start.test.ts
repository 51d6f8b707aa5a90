// How a session starts: from nothing, an agent session, or a fork of another (A6).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTimings } from '@tugdeck/local/timings';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { openStore, type Store } from '@tugdeck/store/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentChoices } from '../src/agents/agent-choices.ts';
import { Projects } from '../src/projects/projects.ts';
import { Sessions } from '../src/sessions/sessions.ts';
import { Trust } from '../src/trust/trust.ts';

let folder: string;
let store: Store;
let sessions: Sessions;
let trust: Trust;

const summaryOf = (agentSession: string): Summary => ({
  v: 1,
  title: 'Mend the fence',
  agentSession,
  agentState: 'connected',
  turn: 'idle',
  waiting: 0,
  entries: 2,
  changedAt: 5,
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tugdeck-begins-'));
  open();
  store.projects.insert({ id: 'p', path: folder, name: 'p', addedAt: 1 });
  trust.allow(folder);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): void {
  store = openStore(join(folder, 'tugdeck.db'));
  trust = new Trust({ table: store.trust, dataRoot: folder, home: folder, now: () => 1 });
  sessions = new Sessions({
    table: store.sessions,
    projects: new Projects(store.projects, trust, () => 1, {}),
    trust,
    agents: new AgentChoices({ agents: { tester: { command: process.execPath, protocol: 'acp' } } }),
    now: () => 3,
    isLive: () => false,
    host: { dataDirectory: folder, runtimeDirectory: folder, timings: withTimings({}), logLevel: 'info' },
  });
}

const code = (of: string) => expect.objectContaining({ code: of });

test("A6 a fork starts with a copy of the agent's session, is linked to its parent and leaves it alone", () => {
  sessions.create('a', 'p', 'tester');
  expect(() => sessions.fork('b', 'a')).toThrowError(code('SESSION_EMPTY'));
  expect(() => sessions.fork('b', 'nobody')).toThrowError(code('SESSION_NOT_FOUND'));
  sessions.recordSummary('a', summaryOf('own-1'));
  const before = sessions.row('a');
  sessions.fork('b', 'a');
  sessions.fork('b', 'a');
  sessions.fork('c', 'a', 'entry-7');
  expect(sessions.row('b')).toMatchObject({ parent: 'a', agent: 'tester', title: 'Mend the fence (fork)' });
  expect(sessions.launch('b').from).toEqual({ kind: 'fork', id: 'own-1' });
  expect(sessions.launch('c').from).toEqual({ kind: 'fork', id: 'own-1', at: 'entry-7' });
  expect(sessions.row('a')).toEqual(before);
  expect(sessions.launch('a').from).toBeUndefined();
  expect(() => sessions.fork('a', 'b')).toThrowError(code('INVALID_MESSAGE'));
  store.close();
  open();
  expect(sessions.launch('c').from).toEqual({ kind: 'fork', id: 'own-1', at: 'entry-7' });
  expect(sessions.row('b').parent).toBe('a');
  // The parent's agent session is known without a new summary.
  sessions.fork('d', 'a');
  expect(sessions.launch('d').from).toEqual({ kind: 'fork', id: 'own-1' });
});

test('A6 each agent session is resumed by only one of our sessions', () => {
  sessions.create('a', 'p', 'tester', { from: { kind: 'resume', id: 'own-1' } });
  expect(sessions.launch('a').from).toEqual({ kind: 'resume', id: 'own-1' });
  sessions.create('a', 'p', 'tester', { from: { kind: 'resume', id: 'own-1' } });
  expect(() => sessions.create('b', 'p', 'tester', { from: { kind: 'resume', id: 'own-1' } })).toThrowError(
    code('SESSION_TAKEN'),
  );
  sessions.create('b', 'p', 'tester', { from: { kind: 'continue' } });
  sessions.recordSummary('a', summaryOf('own-2'));
  expect(() => sessions.create('c', 'p', 'tester', { from: { kind: 'resume', id: 'own-2' } })).toThrowError(
    code('SESSION_TAKEN'),
  );
  // The directory's newest agent session may be this one.
  expect(() => sessions.create('c', 'p', 'tester', { from: { kind: 'continue' } })).toThrowError(
    code('SESSION_TAKEN'),
  );
  sessions.create('c', 'p', 'tester', { from: { kind: 'fork', id: 'own-2' } });
  sessions.create('d', 'p', 'tester', { from: { kind: 'resume', id: 'own-1' } });
});
