/** Error codes of a project's files, repository and reviews, from feeds and HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { git } from '@tugdeck/local/git';
import { fallbackSearch } from '@tugdeck/machine/files/search/fallback-search';
import { Repository } from '@tugdeck/machine/git/repository';
import { resolveBase } from '@tugdeck/machine/workspaces/base';
import { diskLow } from '@tugdeck/machine/workspaces/create';
import { searchQuerySchema } from '@tugdeck/protocol/files/messages';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import type { WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';
import { findRepository } from '@tugdeck/trees/find-repository';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { GitPage, repositoryAt, silent } from '../../../machine/test/git-fixture.ts';
import { findServer, requestServer } from '../../src/control/control-client.ts';
import { type ErrorCases, errorOf, rejectionOf, type World } from './world.ts';

const SINCE = { since: 'session' } as const;
const slowText = `${'a'.repeat(40)}b\n`;

async function put({ visit, project }: World, path: string, body: string) {
  const answer = await visit.fetch(`/api/file/upload?${new URLSearchParams({ project, path })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  });
  return answer.json();
}

/** Records a turn like a host, reverts its change, and undoes that after another program wrote. */
async function undoTooLate({ place, session, repository, feed }: World): Promise<unknown> {
  const data = dataDirectory(place.root);
  const trees = new TurnTrees({
    home: data.trees,
    project: place.project,
    session,
    file: data.session(session).trees,
    now: Date.now,
    log: silent,
  });
  trees.accepted();
  trees.started('t1');
  await trees.settled();
  repository.write('a.txt', 'by the agent\n');
  trees.ended('t1');
  await trees.settled();
  const { undo } = (await feed('review', { type: 'revert', scope: SINCE, path: 'a.txt' })) as {
    undo: string;
  };
  repository.write('a.txt', 'by somebody else\n');
  return feed('review', { type: 'undo', undo });
}

/** The error of a `tugdeck workspaces` command. */
function workspaces(place: World['place'], request: WorkspaceRequest) {
  return rejectionOf(callWorkspaces(place, request));
}

async function callWorkspaces(place: World['place'], request: WorkspaceRequest) {
  const server = findServer(dataDirectory(place.root).ledger);
  if (!server) throw new Error('no server');
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  const answer = await requestServer(server, {
    type: 'workspaces',
    directory: place.project,
    environment,
    request,
  });
  if (answer.type !== 'workspaces') throw new Error(answer.type);
  return answer.answer;
}

async function createWorkspace(place: World['place'], title: string): Promise<WorkspaceRow> {
  const [row] = (await callWorkspaces(place, { act: 'create', spec: { title } })).rows;
  if (!row) throw new Error('no workspace');
  return row;
}

async function divergedClone(directory: string): Promise<Repository> {
  const origin = repositoryAt(join(directory, 'origin'));
  origin.commit('one');
  execFileSync('git', ['clone', '-q', origin.directory, join(directory, 'clone')]);
  const clone = repositoryAt(join(directory, 'clone'), false);
  clone.commit('ours');
  origin.commit('theirs');
  clone.git('fetch', '-q');
  const found = await findRepository(clone.directory);
  if (found.kind !== 'repository') throw new Error('no repository');
  return new Repository(found.place, () => true);
}

export const PROJECT_CASES = {
  GIT_MISSING: {
    provoke: ({ base }) =>
      rejectionOf(git({ directory: base, args: ['status'], environment: { PATH: join(base, 'nothing') } })),
  },
  GIT_TIMEOUT: {
    provoke({ base }) {
      const slow = join(base, 'slow');
      mkdirSync(slow);
      writeFileSync(join(slow, 'git'), '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 });
      return rejectionOf(
        git({ directory: base, args: ['status'], environment: { PATH: slow }, timeoutMs: 50 }),
      );
    },
    says: 'git status did not end within 0.05 s.',
  },
  GIT_NO_REPOSITORY: {
    async provoke({ base }) {
      const page = new GitPage(base);
      const report = await rejectionOf(page.call({ type: 'branches' }));
      page.close();
      return report;
    },
  },
  GIT_UNSAFE: {
    async provoke({ place, repository }) {
      repository.write('a.txt', 'changed\n');
      const page = new GitPage(join(place.project, 'inner'));
      const report = await rejectionOf(page.call({ type: 'discard', paths: ['a.txt'], confirmed: true }));
      page.close();
      repository.git('checkout', '-q', '--', 'a.txt');
      return report;
    },
    says: /./,
  },
  GIT_FAILED: {
    provoke: ({ feed }) => rejectionOf(feed('git', { type: 'branch.delete', name: 'main' })),
    says: "This branch is checked out and can't be deleted.",
  },
  GIT_CHANGED: {
    provoke: ({ feed }) => rejectionOf(feed('git', { type: 'branch.delete', name: 'nothing' })),
    says: 'This branch no longer exists.',
  },
  GIT_UNMERGED: {
    provoke({ feed, repository }) {
      repository.git('checkout', '-q', '-b', 'work');
      repository.git('commit', '-q', '--allow-empty', '-m', 'more');
      repository.git('checkout', '-q', 'main');
      return rejectionOf(feed('git', { type: 'branch.delete', name: 'work' }));
    },
    advises: 'To delete it anyway, run git branch -D work.',
  },
  NOT_CONFIRMED: {
    provoke: ({ feed }) => rejectionOf(feed('git', { type: 'discard', paths: ['a.txt'] })),
  },
  REVIEW_NO_TREE: {
    provoke: ({ feed }) => rejectionOf(feed('review', { type: 'diff', scope: SINCE, path: 'a.txt' })),
    says: 'This session has no turns yet.',
  },
  REVIEW_CONFLICT: {
    provoke: (world) => rejectionOf(undoTooLate(world)),
  },
  PATH_OUTSIDE: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'list', folder: 'door/etc' })),
  },
  PATH_INVALID: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'delete', path: '' })),
    says: "The project folder itself can't be changed from here.",
  },
  FILE_NOT_FOUND: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'list', folder: 'nothing' })),
  },
  FILE_EXISTS: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'create', path: 'a.txt', kind: 'file' })),
  },
  FILE_TOO_LARGE: {
    provoke: (world) => errorOf(put(world, 'large.txt', 'x'.repeat(1_001))),
  },
  FILE_DENIED: {
    async provoke({ page }) {
      await page.request({ type: 'project.add', path: '/sys/kernel' });
      const { deck } = await page.welcome();
      const project = deck.projects.find((one) => one.path === '/sys/kernel')?.id;
      await page.request({ type: 'feed.open', channel: 30, feed: 'files', about: { project } });
      return rejectionOf(page.call('files', 30, { do: 'create', path: 'tugdeck-test', kind: 'file' }));
    },
  },
  FILE_PROTECTED: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'create', path: '.git/hooks/x', kind: 'file' })),
  },
  NOT_A_FILE: {
    async provoke({ place, visit, project }) {
      execFileSync('mkfifo', [join(place.project, 'pipe')]);
      const query = new URLSearchParams({ project, path: 'pipe' });
      const answer = await visit.fetch(`/api/file/text?${query}`);
      return errorOf(answer.json());
    },
  },
  NOT_A_FOLDER: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'list', folder: 'a.txt' })),
  },
  TRASH_GONE: {
    provoke: ({ feed }) => rejectionOf(feed('files', { do: 'restore', trash: 'gone' })),
  },
  SEARCH_INVALID: {
    provoke: ({ feed }) =>
      rejectionOf(feed('files', { do: 'search', search: 's', query: { text: '(', isRegex: true } })),
    says: /^.+\.$/,
  },
  SEARCH_TOO_SLOW: {
    async provoke({ base }) {
      writeFileSync(join(base, 'slow.txt'), slowText);
      const query = searchQuerySchema.parse({ text: '(a+)+$', isRegex: true });
      const { signal } = new AbortController();
      return rejectionOf(
        fallbackSearch({ root: base, query, signal, emit: async () => undefined }, ['slow.txt']),
      );
    },
  },
  WORKSPACE_NOT_FOUND: {
    provoke: ({ place }) => workspaces(place, { act: 'show', name: 'nothing' }),
    says: 'Workspace nothing not found.',
  },
  WORKSPACE_MISSING: {
    async provoke({ place }) {
      const { path } = await createWorkspace(place, 'gone');
      rmSync(path, { recursive: true });
      return workspaces(place, { act: 'contents', name: 'gone' });
    },
    says: / was deleted\.$/,
  },
  WORKSPACE_BUSY: {
    async provoke({ place }) {
      await createWorkspace(place, 'busy');
      return workspaces(place, { act: 'restore', name: 'busy' });
    },
    says: 'This workspace is ready, not archived.',
  },
  WORKSPACE_UNSAFE: {
    async provoke({ place, repository }) {
      const { path } = await createWorkspace(place, 'locked');
      repository.git('worktree', 'unlock', path);
      repository.git('worktree', 'lock', '--reason', 'mine', path);
      return workspaces(place, { act: 'archive', name: 'locked' });
    },
    says: 'Another program locked this worktree: mine.',
    advises: /git worktree unlock/,
  },
  BASE_DIVERGED: {
    async provoke({ base }) {
      const clone = await divergedClone(join(base, 'diverged'));
      return rejectionOf(resolveBase(clone, {}));
    },
    says: 'main and origin/main have diverged.',
    advises: /origin\/main/,
  },
  DISK_LOW: {
    provoke: () => rejectionOf(Promise.reject(diskLow(5 * 1024 ** 3, 1024 ** 3))),
    says: 'A workspace needs 5.0 GB of free disk space; 1.0 GB is available.',
  },
} satisfies ErrorCases;
