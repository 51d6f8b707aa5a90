/**
 * Takes from the shadows what belongs to sessions that are gone, so that they do not grow for ever: their refs and
 * indexes; then what nothing refers to any more; then shadows that hold nothing at all. Works on the shadows alone: the
 * projects they were made from may be gone as well. Called by the server after it has emptied the trash of sessions.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { type GitAnswer, git } from '@tugdeck/local/git';
import { TIDY, TIDY_TIMEOUT_MS } from './tree-refs.ts';

export interface ForgetOptions {
  /** The folder of all shadows. */
  readonly home: string;
  /** Whether the session of this id is gone for good. */
  readonly isGone: (session: string) => boolean;
}

const SHADOW = /^[0-9a-f]{24}$/;
/** Of a host, or of the review that looks at the session. */
const INDEX = /^index-(?:now-)?([0-9a-zA-Z-]+)(?:\.lock)?$/;

/** How many sessions were forgotten. */
export async function forgetTrees({ home, isGone }: ForgetOptions): Promise<number> {
  const forgotten = new Set<string>();
  for (const name of (await namesIn(home)).filter((one) => SHADOW.test(one))) {
    for (const session of await forgetIn(join(home, name), isGone)) forgotten.add(session);
  }
  return forgotten.size;
}

async function forgetIn(directory: string, isGone: ForgetOptions['isGone']): Promise<Set<string>> {
  const forgotten = new Set<string>();
  const refs = await refsOf(directory);
  const gone = refs.filter(({ session }) => isGone(session));
  for (const { session } of gone) forgotten.add(session);
  for (const name of await namesIn(directory)) {
    const session = INDEX.exec(name)?.[1];
    if (session === undefined || !isGone(session)) continue;
    await rm(join(directory, name), { force: true });
    forgotten.add(session);
  }
  if (forgotten.size === 0) return forgotten;
  const input = gone.map(({ ref, tree }) => `delete ${ref}\0${tree}\0`).join('');
  await run(directory, ['update-ref', '-z', '--stdin'], input);
  const isInUse = gone.length < refs.length || (await namesIn(directory)).some((name) => INDEX.test(name));
  if (isInUse) await run(directory, TIDY);
  else await remove(directory);
  return forgotten;
}

/** Out of the way first: who records at this moment begins a new one, and never meets half of the old. */
async function remove(directory: string): Promise<void> {
  const aside = `${directory}.${process.pid}.old`;
  await rename(directory, aside);
  await rm(aside, { recursive: true, force: true });
}

async function refsOf(directory: string) {
  const { stdout } = await run(directory, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/trees/',
  ]);
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [ref = '', tree = ''] = line.split(' ');
    return { ref, tree, session: ref.split('/')[2] ?? '' };
  });
}

function run(directory: string, args: readonly string[], input?: string): Promise<GitAnswer> {
  return git({
    directory,
    args,
    input,
    timeoutMs: TIDY_TIMEOUT_MS,
    environment: {
      GIT_DIR: directory,
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: '1',
    },
  });
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
