import { mkdirSync, mkdtempSync, rmSync, watch as watchFolder, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRepository } from '@tugdeck/trees/find-repository';
import { afterEach, expect, test } from 'vitest';
import { StatusWatch } from '../src/git/status-watch.ts';
import { silent } from './git-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'tugdeck-git-new-'));
const watch = new StatusWatch({ isTrusted: () => false, directory, log: silent });
afterEach(() => {
  watch.close();
  rmSync(directory, { recursive: true, force: true });
});

test('W3 a repository that git creates slowly is found when it is complete', async () => {
  const kinds: string[] = [];
  watch.subscribe(({ kind }) => kinds.push(kind));
  expect((await watch.status()).kind).toBe('none');
  const seen = new Promise((resolve) => watchFolder(directory, { persistent: false }, resolve));
  mkdirSync(join(directory, '.git'));
  await seen;
  // As long as the watch itself takes to find that it is not a repository yet.
  for (let times = 0; times < 3; times++) expect((await findRepository(directory)).kind).toBe('none');
  for (const name of ['objects', 'refs/heads']) mkdirSync(join(directory, '.git', name), { recursive: true });
  writeFileSync(join(directory, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
  writeFileSync(join(directory, '.git/HEAD'), 'ref: refs/heads/main\n');
  await expect.poll(() => kinds).toContain('repository');
});
