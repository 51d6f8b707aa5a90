/**
 * What git says about names, without running anything of the repository's. Nothing where git is not there, or the
 * directory is in no repository.
 */
import { git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { findRepository } from '@tugdeck/trees/find-repository';
import { gitView } from '@tugdeck/trees/guard/git-view';
import { runSliced } from './sliced-work.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
const NAMES_BETWEEN_PAUSES = 500;

type Wanted = (path: string) => boolean;

/** Files that git knows or would take; of those, the wanted ones. */
export function gitFiles(root: string, isWanted: Wanted, limit: number): Promise<string[] | undefined> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z'];
  return names(root, list, { isWanted, limit });
}

/** Folders of which git ignores everything, without a slash at their end. */
export async function ignoredFolders(root: string): Promise<string[] | undefined> {
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const found = await names(root, list);
  return found?.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
}

/** Those of the paths that git ignores. */
export async function ignoredOf(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  // It knows no literal paths: one that begins with a colon would mean something to it.
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
    // `check-ignore` ends with 1 when it has nothing to say.
    const answers = [1];
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const found = await findRepository(directory);
    if (found.kind !== 'repository') return undefined;
    const view = await gitView(found.place);
    const environment = { ...view.environment, GIT_LITERAL_PATHSPECS: undefined };
    const { stdout } = await git({ directory, args, input, answers, environment, ...limits });
    return await runSliced(namesIn(stdout, isWanted, limit));
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

/** Name by name out of the bytes: 50,000 at once would hold everybody up. */
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
