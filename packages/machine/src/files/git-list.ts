/**
 * Lists files through git without running anything from the repository. Returns undefined if git is missing or the
 * directory is not in a repository.
 */

import { runInSlices } from '@tugdeck/local/cooperative';
import { git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { findRepository } from '@tugdeck/trees/find-repository';
import { gitView } from '@tugdeck/trees/guard/git-view';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const NAMES_BETWEEN_PAUSES = 500;

type Wanted = (path: string) => boolean;

/** Tracked files and untracked files that are not ignored, filtered by `isWanted`. */
export function gitFiles(root: string, isWanted: Wanted, limit: number): Promise<string[] | undefined> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
  return names(root, list, { isWanted, limit });
}

/** Folders that git ignores completely, without a trailing slash. */
export async function ignoredFolders(root: string): Promise<string[] | undefined> {
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const found = await names(root, list);
  return found?.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
}

/** The subset of `paths` that git ignores. */
export async function ignoredOf(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  // `check-ignore` has no literal pathspecs: `./` protects paths that start with a colon.
  const input = paths.map((path) => `./${path}\0`).join('');
  const found = await names(root, ['check-ignore', '-z', '--stdin'], { input });
  return new Set(found?.map((path) => path.slice(2)));
}

interface NamesOptions {
  readonly input?: string;
  readonly isWanted?: Wanted;
  readonly limit?: number;
}

async function names(
  directory: string,
  args: readonly string[],
  { input, isWanted = () => true, limit = Infinity }: NamesOptions = {},
): Promise<string[] | undefined> {
  try {
    // `check-ignore` exits with 1 if nothing is ignored.
    const answers = [1];
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const found = await findRepository(directory);
    if (found.kind !== 'repository') return undefined;
    const view = await gitView(found.place);
    const environment = { ...view.environment, GIT_LITERAL_PATHSPECS: undefined };
    const { stdout } = await git({ directory, args, input, answers, environment, ...limits });
    return await runInSlices(namesIn(stdout, isWanted, limit));
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

/** Splits incrementally: 50,000 names at once would block the event loop. */
function* namesIn(bytes: Buffer, isWanted: Wanted, limit: number): Generator<undefined, string[]> {
  const found: string[] = [];
  let seen = 0;
  for (let from = 0, to = bytes.indexOf(0); to >= 0; from = to + 1, to = bytes.indexOf(0, from)) {
    const name = bytes.toString('utf8', from, to);
    if (isWanted(name)) found.push(name);
    if (found.length === limit) return found;
    seen += 1;
    if (seen % NAMES_BETWEEN_PAUSES === 0) yield;
  }
  return found;
}
