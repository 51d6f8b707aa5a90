/** Error codes of fetching, pulling and pushing. */
import { join } from 'node:path';
import { gitServer } from '@tugdeck/testkit/git-server';
import { GitPage, repositoryAt, type TestRepository } from '../../../machine/test/git-fixture.ts';
import { type ErrorCases, rejectionOf } from './world.ts';

interface Clones {
  readonly root: string;
  readonly mine: TestRepository;
  readonly other: TestRepository;
  readonly page: GitPage;
}

/** In two clones of one repository; the page shows `mine`. */
async function inClones<T>(root: string, act: (clones: Clones) => Promise<T>): Promise<T> {
  const remote = repositoryAt(join(root, 'shop.git'), false);
  remote.git('init', '-q', '--bare');
  const other = repositoryAt(join(root, 'other'));
  other.commit('one', { 'a.txt': 'a\n' });
  other.git('remote', 'add', 'origin', remote.directory);
  other.git('push', '-q', '-u', 'origin', 'main');
  other.git('clone', '-q', remote.directory, join(root, 'mine'));
  const mine = repositoryAt(join(root, 'mine'), false);
  const page = new GitPage(mine.directory);
  try {
    return await act({ root, mine, other, page });
  } finally {
    page.close();
  }
}

async function push(page: GitPage): Promise<unknown> {
  const { branch, remote, commit, seen } = await page.call({ type: 'push.look' });
  return page.call({ type: 'push', branch, remote, commit, seen });
}

/** Fetches from a server with a password; `stopped`: while it doesn't answer. */
function fetchFrom(root: string, isStopped: boolean): Promise<unknown> {
  return inClones(root, async ({ mine, page }) => {
    const server = await gitServer(root, 'right');
    mine.git('remote', 'set-url', 'origin', `http://127.0.0.1:${server.port}/shop.git`);
    const { reached } = isStopped ? server.hang() : { reached: undefined };
    const fetching = page.call({ type: 'fetch' });
    fetching.catch(() => undefined);
    if (reached) await reached.then(() => page.call({ type: 'network.stop' }));
    try {
      return await fetching;
    } finally {
      await server.close();
    }
  });
}

export const NETWORK_CASES = {
  GIT_STOPPED: {
    provoke: ({ base }) => rejectionOf(fetchFrom(join(base, 'stopped'), true)),
    says: 'git fetch was stopped.',
  },
  GIT_CREDENTIALS: {
    provoke: ({ base }) => rejectionOf(fetchFrom(join(base, 'credentials'), false)),
    says: /^could not read Username for 'http:\/\/127\.0\.0\.1:\d+': terminal prompts disabled$/,
  },
  BRANCH_DIVERGED: {
    provoke: ({ base }) =>
      rejectionOf(
        inClones(join(base, 'diverged'), async ({ mine, other, page }) => {
          other.commit('theirs');
          other.git('push', '-q');
          mine.commit('mine');
          return page.call({ type: 'pull' });
        }),
      ),
  },
  PUSH_REJECTED: {
    provoke: ({ base }) =>
      rejectionOf(
        inClones(join(base, 'rejected'), async ({ mine, other, page }) => {
          other.commit('theirs');
          other.git('push', '-q');
          mine.commit('mine');
          return push(page);
        }),
      ),
    says: 'The remote’s branch has commits that were not seen here yet.',
  },
  PUSH_SECRETS: {
    provoke: ({ base }) =>
      rejectionOf(
        inClones(join(base, 'secrets'), async ({ mine, page }) => {
          mine.commit('key', { id_rsa: 'x\n' });
          return push(page);
        }),
      ),
  },
} satisfies ErrorCases;
