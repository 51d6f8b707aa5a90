/** Error codes of landing a workspace. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryAt } from '../../../machine/test/git-fixture.ts';
import { PROJECT, workspacePlace } from '../../../machine/test/workspace-fixture.ts';
import { type ErrorCases, rejectionOf } from './world.ts';

/** Lands a workspace with one commit; `before` runs after the preview. */
async function land(
  root: string,
  check: number,
  before: (repository: ReturnType<typeof repositoryAt>) => void,
): Promise<unknown> {
  const repository = repositoryAt(join(root, 'shop'));
  repository.git('config', 'user.name', 'Ada Example');
  repository.git('config', 'user.email', 'ada@example.org');
  repository.commit('one', { 'a.txt': 'a\n' });
  const place = workspacePlace(join(root, 'data'), repository.directory, {
    settings: { check: 'npm test' },
    use: { check: async () => check },
  });
  try {
    const { id } = await place.workspaces.create(PROJECT, { title: 'work' }, 'w1');
    const { path } = await place.workspaces.ready(id);
    writeFileSync(join(path, 'a.txt'), 'own\n');
    execFileSync('git', ['commit', '-qam', 'own'], { cwd: path });
    const { head = '' } = await place.workspaces.landing.look(id, {});
    const base = repository.git('rev-parse', 'HEAD').trim();
    before(repository);
    const now = repository.git('rev-parse', 'HEAD').trim();
    const { end } = await place.workspaces.landing.begin(id, { base: check === 2 ? base : now, head });
    return await end;
  } finally {
    await place.close();
  }
}

export const LANDING_CASES = {
  LAND_CONFLICT: {
    provoke: ({ base }) =>
      rejectionOf(
        land(join(base, 'conflict'), 0, (repository) => repository.commit('two', { 'a.txt': 'b\n' })),
      ),
    says: 'Conflicts with main: a.txt',
  },
  LAND_MOVED: {
    provoke: ({ base }) =>
      rejectionOf(land(join(base, 'moved'), 2, (repository) => repository.commit('two'))),
  },
  CHECK_FAILED: {
    provoke: ({ base }) => rejectionOf(land(join(base, 'check'), 1, () => undefined)),
    says: 'The check failed with exit code 1.',
  },
} satisfies ErrorCases;
