/**
 * Removes the data of deleted sessions from shadow repositories, so that they do not grow forever: refs and indexes,
 * then unreferenced objects, then empty repositories. Does not need the projects, which may be deleted too. The
 * server calls it after emptying the session trash.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { type GitAnswer, git } from '@tugdeck/local/git';
import { SESSION_REFS, TIDY, TIDY_TIMEOUT_MS } from './tree-refs.ts';

export interface ForgetOptions {
  /** The folder of all shadow repositories. */
  readonly home: string;
  /** Whether the session with this id was deleted permanently. */
  readonly isGone: (session: string) => boolean;
}

const SHADOW = /^[0-9a-f]{24}$/;
/** The index of a host, or of a review of the session. */
const INDEX = /^index-(?:now-)?([0-9a-zA-Z-]+)(?:\.lock)?$/;

/** Returns the number of deleted sessions whose data was removed. */
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

/** Renames it first, so that a concurrent recording starts a new one and never sees a half-deleted one. */
async function remove(directory: string): Promise<void> {
  const aside = `${directory}.${process.pid}.old`;
  await rename(directory, aside);
  await rm(aside, { recursive: true, force: true });
}

async function refsOf(directory: string) {
  const { stdout } = await run(directory, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    ...SESSION_REFS,
  ]);
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [ref = '', tree = ''] = line.split(' ');
    const parts = ref.split('/');
    // refs/adopted/<folder>/trees/<session>/…
    return { ref, tree, session: (parts[1] === 'adopted' ? parts[4] : parts[2]) ?? '' };
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
