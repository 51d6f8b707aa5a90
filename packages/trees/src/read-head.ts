/**
 * The branch and commit that a worktree has checked out, read from the repository's files: no process, because it is
 * read at every turn. Undefined where it can't be read this way (an unborn branch, another storage of refs).
 */
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { ShadowSource } from './shadow.ts';

export interface Head {
  readonly commit: string;
  readonly branch?: string | undefined;
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const BRANCH = /^ref: (refs\/heads\/([^\0\n]+))$/;
const MAX_REF = 4_096;
const MAX_BRANCH = 300;
/** What git refuses in the name of a branch. */
const NOT_A_BRANCH = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|^@$|(^|\/)[./]|\.lock(\/|$)|[./]$/u;
const MAX_PACKED = 64 * 1024 * 1024;

export function readHead({ gitDirectory, commonDirectory }: ShadowSource): Head | undefined {
  const text = read(join(gitDirectory, 'HEAD'), MAX_REF);
  if (text === undefined) return undefined;
  if (COMMIT.test(text)) return { commit: text };
  const [, ref = '', branch = ''] = BRANCH.exec(text) ?? [];
  // The name becomes a path.
  if (ref === '' || ref.split('/').includes('..')) return undefined;
  const commit = readRef(commonDirectory, ref);
  return commit === undefined ? undefined : { commit, branch };
}

/**
 * The name of the checked-out branch, also of one without a commit. Undefined if none is checked out, or if the file
 * is not one that git would write.
 */
export function readBranch({ gitDirectory }: Pick<ShadowSource, 'gitDirectory'>): string | undefined {
  const text = read(join(gitDirectory, 'HEAD'), MAX_REF, gitDirectory);
  const branch = text === undefined ? undefined : BRANCH.exec(text)?.[2];
  if (branch === undefined || branch.length > MAX_BRANCH || NOT_A_BRANCH.test(branch)) return undefined;
  return branch;
}

/** The commit of a ref, loose or packed. */
export function readRef(commonDirectory: string, ref: string): string | undefined {
  const loose = read(join(commonDirectory, ref), MAX_REF);
  if (loose !== undefined && COMMIT.test(loose)) return loose;
  const packed = read(join(commonDirectory, 'packed-refs'), MAX_PACKED);
  const line = packed?.split('\n').find((one) => one.endsWith(` ${ref}`));
  const commit = line?.slice(0, line.indexOf(' '));
  return commit !== undefined && COMMIT.test(commit) ? commit : undefined;
}

function read(file: string, maxBytes: number, within?: string): string | undefined {
  try {
    return readBoundedText(file, { maxBytes, within })?.trim();
  } catch {
    return undefined;
  }
}
