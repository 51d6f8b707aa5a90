/** Compares two trees of a shadow repository. Reads objects only, never the worktree. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { LIST_FLAGS, type ListedFile, parseChangedFiles } from './changed-files.ts';
import { type FilePatch, PATCH_FLAGS, parsePatch } from './patch.ts';
import type { Shadow } from './shadow.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Sent as one message. */
const MAX_PATCH = 2 * 1024 * 1024;

export async function compareTrees(shadow: Shadow, before: string, after: string): Promise<ListedFile[]> {
  if (before === after) return [];
  return parseChangedFiles(await shadow.text(['diff-tree', ...LIST_FLAGS, before, after]));
}

/** The names that differ, without rename detection. */
export async function changedPaths(shadow: Shadow, before: string, after: string): Promise<string[]> {
  if (before === after) return [];
  const text = await shadow.text(['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after]);
  return text.split('\0').filter(Boolean);
}

/** All differences as a unified diff. */
export async function treePatch(shadow: Shadow, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { stdout } = await shadow.run(['diff-tree', '-r', ...PATCH_FLAGS, before, after], {
    maxBytes: MAX_PATCH,
  });
  return stdout.toString('utf8');
}

export async function compareFile(
  shadow: Shadow,
  [before, after]: readonly [string, string],
  { path, oldPath }: { readonly path: string; readonly oldPath?: string | undefined },
): Promise<FilePatch> {
  const names = oldPath === undefined ? [path] : [path, oldPath];
  const { stdout } = await shadow.run(
    ['diff-tree', '-r', '--find-renames=50%', ...PATCH_FLAGS, before, after, '--', ...names],
    { maxBytes: MAX_BYTES },
  );
  const [patch] = parsePatch(stdout);
  if (!patch) throw new CodedError('GIT_CHANGED');
  return patch;
}

/** Whether all objects of the tree still exist. */
export async function hasTree(shadow: Shadow, tree: string): Promise<boolean> {
  const { code } = await shadow.run(['cat-file', '-e', `${tree}^{tree}`], { answers: [1, 128] });
  return code === 0;
}

export async function readBlob(shadow: Shadow, blob: string): Promise<Buffer> {
  return (await shadow.run(['cat-file', 'blob', blob], { maxBytes: MAX_BYTES })).stdout;
}

/** Mode and content of a file in a tree, or `undefined`. */
export async function fileInTree(
  shadow: Shadow,
  tree: string,
  path: string,
): Promise<{ readonly mode: string; readonly blob: string } | undefined> {
  const text = await shadow.text(['ls-tree', '-z', '--full-tree', tree, '--', path]);
  const match = /^(\d{6}) blob ([0-9a-f]+)\t/.exec(text);
  return match ? { mode: match[1] ?? '', blob: match[2] ?? '' } : undefined;
}
