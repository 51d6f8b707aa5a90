import type { GitStatus } from '@tugdeck/protocol/git/git-messages';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StatusWatch } from '../src/git/status-watch.ts';
import { gitWorld, repositoryAt, silent } from './git-fixture.ts';

// Like a machine on which all watches are in use.
vi.mock('@parcel/watcher', () => {
  const subscribe = () => Promise.reject(new Error('Too many open files'));
  return { subscribe, default: { subscribe } };
});

test('W3 without system watches, changes are found by polling', async () => {
  const world = gitWorld();
  onTestFinished(() => world.dispose());
  const { directory, commit, write } = repositoryAt(world.path('p'));
  commit('first', { file: 'text' });
  const watch = new StatusWatch({ isTrusted: () => false, directory, log: silent, pollMs: 20 });
  onTestFinished(() => watch.close());
  const statuses: GitStatus[] = [];
  watch.subscribe((status) => statuses.push(status));
  await watch.status();
  write('new-file', 'new');
  await expect.poll(() => JSON.stringify(statuses.at(-1) ?? null)).toContain('new-file');
});
