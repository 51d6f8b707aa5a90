/** Places of sessions, and texts about workspaces. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceContents, WorkspacePlan, WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { expect, test } from 'vitest';
import { branchFor, distanceText, startPlace } from '../src/features/workspaces/start.ts';
import {
  archiveLines,
  creationSteps,
  workspaceStateText,
} from '../src/features/workspaces/workspace-text.ts';
import { folderOf, placeOf, projectOfPlace, usablePlaceOf, workspaceAt } from '../src/kit/place.ts';
import { groupWorkspaces } from '../src/kit/projects.ts';
import { stateText } from '../src/kit/session-state.ts';

const workspace: WorkspaceRow = {
  id: 'w',
  project: 'p',
  name: 'login',
  state: 'ready',
  path: '/trees/login/web',
  port: 17_040,
  createdAt: 1,
};
const deck = {
  projects: [{ id: 'p', name: 'shop', path: '/shop', addedAt: 1 }],
  workspaces: [workspace],
  sessions: [],
} as unknown as Deck;

test('B1 a session works in its workspace, else in its project', () => {
  expect(placeOf({ project: 'p', workspace: 'w' } as SessionRow)).toBe('w');
  expect(placeOf({ project: 'p' } as SessionRow)).toBe('p');
  expect(folderOf(deck, 'w')).toEqual({ name: 'shop · login', path: '/trees/login/web' });
  expect(folderOf(deck, 'p')).toMatchObject({ name: 'shop', path: '/shop' });
  expect(folderOf(deck, 'gone')).toBeUndefined();
  expect(projectOfPlace(deck, 'w')).toBe('p');
});

test('X6 B1 trust is asked about the workspace that a session works in, while its files are there', () => {
  const row = { project: 'p', workspace: 'w' };
  expect(usablePlaceOf(deck, row)).toBe('w');
  expect(usablePlaceOf(deck, { project: 'p' })).toBe('p');
  const archived = { ...deck, workspaces: [{ ...workspace, state: 'archived' as const }] };
  expect(usablePlaceOf(archived, row)).toBeUndefined();
});

test('B26 finds the workspace of a worktree, also if the project is a folder in it', () => {
  expect(workspaceAt(deck, '/trees/login')).toBe(workspace);
  expect(workspaceAt(deck, '/trees/log')).toBeUndefined();
});

test('B60 says what archiving keeps, drops and ends', () => {
  const contents: WorkspaceContents = {
    changed: 2,
    untracked: 1,
    staged: 0,
    ownCommits: 3,
    ignored: ['.env'],
    dropped: [{ path: 'node_modules/', bytes: 1 }],
    branch: 'me/login',
    deletesBranch: false,
    terminals: 1,
    agents: 1,
  };
  expect(archiveLines(contents)).toEqual([
    'Everything is kept for 30 days and can be restored to the same folder.',
    'Uncommitted files: 2 changed, 1 new',
    '3 commits on no other branch or remote',
    'Ignored files that are kept: .env',
    'Not kept, because programs create them again: node_modules/',
    'Ends 1 terminal and 1 idle agent',
    'Branch me/login stays in the repository',
  ]);
});

test('B17 B20 shows the step of a creation, then the ports', () => {
  expect(workspaceStateText({ ...workspace, state: 'creating', step: 'setup' })).toBe(
    'Creating: running setup',
  );
  expect(workspaceStateText(workspace)).toBe('Ports 17040–17049');
  expect(workspaceStateText({ ...workspace, state: 'missing' })).toBe('Folder not found');
});

const session = (id: string, more: object = {}) => ({ id, project: 'p', ...more }) as unknown as SessionRow;
const working = { live: true, summary: { turn: 'running', waiting: 0, entries: 1 } };
const withSessions = (...sessions: SessionRow[]) => ({ ...deck, sessions }) as Deck;
const plan: WorkspacePlan = { start: 'auto', base: 'main', baseCommit: 'a'.repeat(40), branch: 'me/{slug}' };

test('B81 a session starts in the checkout until another one works there', () => {
  const row = session('new');
  const place = (
    all: Deck,
    chosen?: 'auto' | 'checkout' | 'workspace',
    of: WorkspacePlan | undefined = plan,
  ) => startPlace(all, row, of, chosen, 0).kind;
  expect(place(withSessions(row))).toBe('checkout');
  expect(place(withSessions(row, session('a', working)))).toBe('new');
  expect(place(withSessions(row, session('a', { live: true, summary: { turn: 'idle', waiting: 0 } })))).toBe(
    'checkout',
  );
  // Sessions of other projects and of workspaces don't work in this checkout.
  expect(place(withSessions(row, session('a', { ...working, project: 'other' })))).toBe('checkout');
  expect(place(withSessions(row, session('a', { ...working, workspace: 'w' })))).toBe('checkout');
  expect(place(withSessions(row, session('a', { elsewhere: true })))).toBe('new');
  // The user's choice, then the configuration.
  expect(place(withSessions(row, session('a', working)), 'checkout')).toBe('checkout');
  expect(place(withSessions(row), 'workspace')).toBe('new');
  expect(place(withSessions(row), undefined, { ...plan, start: 'workspace' })).toBe('new');
  // Without a repository there is nothing to choose.
  expect(place(withSessions(row), 'workspace', { start: 'auto', refusal: 'No commit' })).toBe('checkout');
});

test('B81 B84 a session stays in the workspace that was chosen, unless it could not be created', () => {
  const row = session('new', { workspace: 'w' });
  expect(startPlace(withSessions(row), row, plan, 'checkout', 0)).toEqual({
    kind: 'existing',
    workspace: 'w',
  });
  const failed = { ...withSessions(row), workspaces: [{ ...workspace, state: 'failed' as const }] };
  expect(startPlace(failed, row, plan, 'workspace', 0)).toEqual({ kind: 'new' });
});

test('B82 the branch is named after the message, and the distance to the checkout is shown', () => {
  expect(branchFor(plan, 'Fix the Login, please')).toBe('me/fix-the-login-please');
  expect(branchFor(plan, ' ')).toBe('me/…');
  expect(distanceText({ ...plan, ahead: 12, behind: 0 })).toBe('12 commits newer than your checkout');
  expect(distanceText({ ...plan, ahead: 0, behind: 1 })).toBe('1 commit behind your checkout');
  expect(distanceText(plan)).toBe('same commit as your checkout');
});

test('B34 sessions are grouped by workspace, the others stay with the checkout', () => {
  const [a, b, c] = [session('a'), session('b', { workspace: 'w' }), session('c', { workspace: 'unknown' })];
  expect(groupWorkspaces([a, b, c], [workspace])).toEqual({
    checkout: [a, c],
    groups: [{ workspace, sessions: [b] }],
  });
});

test('B85 the progress of a creation has four steps', () => {
  const row = {
    ...workspace,
    state: 'creating',
    step: 'lock',
    base: 'main',
    baseCommit: 'abcdef0123',
  } as const;
  expect(creationSteps(row).map(({ name, state, text }) => `${name} ${state}: ${text}`)).toEqual([
    'base done: Base main abcdef01',
    'checkout now: Checking out files',
    'files next: Copying files',
    'setup next: Running the setup',
  ]);
});

test('B3 a session whose message waits for its workspace is queued', () => {
  expect(stateText(session('a', { pending: true }), 'queued')).toBe('Queued · creating its workspace');
});
