/**
 * Makes kept trees independent of what the project may prune: objects that are in no long-lived branch of the project
 * are packed into the shadow repository. Deleting a branch then can't take a checkpoint along.
 */
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitConfig } from '@tugdeck/local/git';
import { readRef } from './read-head.ts';
import type { Shadow } from './shadow.ts';
import { SESSION_REFS, TIDY_TIMEOUT_MS } from './tree-refs.ts';

/** Branches that stay; the first that exist are the base. */
const LONG_LIVED = [
  'refs/remotes/origin/main',
  'refs/remotes/origin/master',
  'refs/remotes/upstream/main',
  'refs/remotes/upstream/master',
  'refs/heads/main',
  'refs/heads/master',
];
const INTERVAL_MS = 10 * 60_000;
/** Fast rather than small. */
const PACKING: GitConfig = [
  ['pack.window', '0'],
  ['pack.threads', '1'],
  ['core.compression', '1'],
];
const AUTHOR = { NAME: 'tugdeck', EMAIL: 'tugdeck@localhost', DATE: '1000000000 +0000' };
const PACK = /^[0-9a-f]{40,64}$/;

/** At most every ten minutes, unless `now` is set: before a branch is deleted. Returns whether a pack was made. */
export async function keepOwnObjects(shadow: Shadow, { now = false } = {}): Promise<boolean> {
  // Without a repository of the project, all objects are ours.
  if (!shadow.source || (!now && !(await isDue(shadow)))) return false;
  const { commonDirectory } = shadow.source;
  const refs = await shadow.text(['for-each-ref', '--format=%(objectname)', ...SESSION_REFS]);
  const trees = [...new Set(refs.split('\n').filter(Boolean))];
  if (trees.length === 0) return false;
  const known = LONG_LIVED.map((ref) => readRef(commonDirectory, ref)).filter((one) => one !== undefined);
  const bases: string[] = [];
  for (const commit of new Set(known)) {
    const { code } = await shadow.run(['cat-file', '-e', `${commit}^{commit}`], { answers: [1, 128] });
    if (code === 0) bases.push(commit);
  }
  // Only commits are subtracted from each other, so all trees become one commit on top of the branches.
  const input = trees.map((tree, number) => `040000 tree ${tree}\t${number}\0`).join('');
  const all = (await shadow.text(['mktree', '-z'], { input })).trim();
  const parents = bases.flatMap((commit) => ['-p', commit]);
  const environment = Object.fromEntries(
    Object.entries(AUTHOR).flatMap(([name, value]) => [
      [`GIT_AUTHOR_${name}`, value],
      [`GIT_COMMITTER_${name}`, value],
    ]),
  );
  const commit = (await shadow.text(['commit-tree', all, ...parents], { environment })).trim();
  const packs = join(shadow.directory, 'objects', 'pack');
  const revisions = [commit, ...bases.map((base) => `^${base}`)].map((line) => `${line}\n`).join('');
  const args = ['pack-objects', '--revs', '--quiet', join(packs, 'pack')];
  const call = { input: revisions, config: PACKING, timeoutMs: TIDY_TIMEOUT_MS };
  const pack = (await shadow.text(args, call)).trim();
  if (!PACK.test(pack)) return false;
  // Without it, the next cleanup would drop objects that the project still has.
  await writeFile(join(packs, `pack-${pack}.keep`), '', { mode: 0o600 });
  await replaceOld(shadow, packs, pack);
  return true;
}

async function isDue(shadow: Shadow): Promise<boolean> {
  const stamp = join(shadow.directory, 'own-checked');
  const facts = await stat(stamp).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs < INTERVAL_MS) return false;
  if (facts) await utimes(stamp, new Date(), new Date());
  else await writeFile(stamp, '', { mode: 0o600 });
  return true;
}

/** The new pack has everything that the old one is still needed for. */
async function replaceOld(shadow: Shadow, packs: string, pack: string): Promise<void> {
  const note = join(shadow.directory, 'own-pack');
  const old = await readFile(note, 'utf8').catch(() => '');
  await writeFile(note, pack, { mode: 0o600 });
  if (old === pack || !PACK.test(old)) return;
  for (const kind of ['keep', 'idx', 'rev', 'pack'])
    await rm(join(packs, `pack-${old}.${kind}`), { force: true });
}
