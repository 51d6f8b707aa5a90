/**
 * What git says about names, without running anything of the repository's. Nothing where git is not there, or the
 * directory is in no repository.
 */
import { git } from '@tugdeck/local/git';
import { CodedError } from '@tugdeck/protocol/wire/errors';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Files that git knows or would take. */
export function gitFiles(root: string): Promise<string[] | undefined> {
  return names(root, ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']);
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
  const found = await names(root, ['check-ignore', '-z', '--stdin'], input);
  return new Set(found?.map((path) => path.slice(2)));
}

async function names(
  directory: string,
  args: readonly string[],
  input?: string,
): Promise<string[] | undefined> {
  try {
    // `check-ignore` ends with 1 when it has nothing to say.
    const answers = [1];
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const environment = { GIT_LITERAL_PATHSPECS: undefined };
    const { stdout } = await git({ directory, args, input, answers, environment, ...limits });
    return stdout.toString('utf8').split('\0').slice(0, -1);
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}
