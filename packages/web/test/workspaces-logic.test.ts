/** Places of sessions, and texts about workspaces. */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceContents, WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { expect, test } from 'vitest';
import { folderOf, placeOf, projectOfPlace, usablePlaceOf, workspaceAt } from '../src/kit/place.ts';
import { archiveLines, workspaceStateText } from '../src/shell/workspaces/workspace-text.ts';

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
  expect(workspaceStateText(workspace)).toBe('Ports 17040 to 17049');
  expect(workspaceStateText({ ...workspace, state: 'missing' })).toBe('Folder not found');
});
