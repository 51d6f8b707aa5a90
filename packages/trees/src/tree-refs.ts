/**
 * Selects the trees of a shadow repository that are kept: the first and the latest of each session. The rest is
 * packed and pruned from time to time, so that its size stays limited.
 */
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shadow } from './shadow.ts';

export const KEPT_TREES = 400;
/** All refs of a shadow repository. Each belongs to a session. */
export const SESSION_REFS = ['refs/trees/', 'refs/restores/', 'refs/adopted/'];
/** Objects that another process is writing are not referenced yet. */
const PRUNE_AGE = '2.hours.ago';
/** Loose objects in one of 256 folders; about four thousand in total. */
const LOOSE = 16;
const TIDY_MS = 10 * 60_000;
export const TIDY = ['gc', '--quiet', `--prune=${PRUNE_AGE}`];
export const TIDY_TIMEOUT_MS = 5 * 60_000;

export async function keepTree(shadow: Shadow, session: string, tree: string): Promise<void> {
  const kept = await keptTrees(shadow, session);
  if (kept.at(-1)?.tree === tree) return;
  const number = (kept.at(-1)?.number ?? 0) + 1;
  // Removes excess trees except the first, together with adding the new one.
  const over = kept.slice(1, Math.max(1, kept.length + 2 - KEPT_TREES));
  const lines = [
    `create ${refOf(session, number)}\0${tree}\0`,
    ...over.map((one) => `delete ${refOf(session, one.number)}\0${one.tree}\0`),
  ];
  await shadow.run(['update-ref', '-z', '--stdin'], { input: lines.join('') });
}

export async function keptTrees(
  shadow: Shadow,
  session: string,
): Promise<{ readonly number: number; readonly tree: string }[]> {
  const prefix = `refs/trees/${session}/`;
  const text = await shadow.text(['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', tree = ''] = line.split(' ');
      return { number: Number(name.slice(prefix.length)), tree };
    })
    .sort((a, b) => a.number - b.number);
}

function refOf(session: string, number: number): string {
  return `refs/trees/${session}/${String(number).padStart(8, '0')}`;
}

/** Cheap to call: lists one object folder, at most every ten minutes. */
export async function tidy(shadow: Shadow): Promise<boolean> {
  const loose = await readdir(join(shadow.directory, 'objects', '17')).catch(() => []);
  if (loose.length < LOOSE) return false;
  const stamp = join(shadow.directory, 'tidied');
  const facts = await stat(stamp).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs < TIDY_MS) return false;
  if (facts) await utimes(stamp, new Date(), new Date());
  else await writeFile(stamp, '', { mode: 0o600 });
  await shadow.run(TIDY, { timeoutMs: TIDY_TIMEOUT_MS });
  return true;
}
