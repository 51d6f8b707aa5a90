/** One file's staged or unstaged change as hunks (W3). Hunk operations look hunks up here. */

import { readNoFollow } from '@tugdeck/local/files/no-follow-file';
import type { FileChange, GitFile, Side } from '@tugdeck/protocol/git/git-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type FilePatch, PATCH_FLAGS, type PatchHunk, parsePatch, shownChange } from '@tugdeck/trees/patch';
import { wholeFilePatch } from '@tugdeck/trees/whole-file';
import type { Repository } from './repository.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export interface DiffRequest {
  readonly file: GitFile;
  readonly side: Side;
  readonly isWhole?: boolean | undefined;
}

export async function fileDiff(repository: Repository, request: DiffRequest): Promise<FileChange> {
  const { file, side, isWhole } = request;
  const oldPath = side === 'staged' && file.index === 'R' ? file.oldPath : undefined;
  const patch = await filePatch(repository, request);
  const shown = shownChange(patch, { path: file.path, oldPath, isWhole });
  return file.submodule ? { ...shown, submodule: true } : shown;
}

export async function filePatch(repository: Repository, { file, side }: DiffRequest): Promise<FilePatch> {
  if (side === 'unstaged' && file.work === '?') return untrackedPatch(repository, file.path);
  const patches = parsePatch(await diffOutput(repository, file, side));
  return patches[0] ?? { state: 'modified', isBinary: false, isSubmodule: false, hunks: [] };
}

/** Finds the hunk in the current diff; throws if it changed since it was shown. */
export async function findHunk(repository: Repository, request: DiffRequest, id: string): Promise<PatchHunk> {
  const patch = await filePatch(repository, request);
  const hunk = patch.hunks.find((one) => one.id === id);
  if (!hunk) throw new CodedError('GIT_CHANGED');
  return hunk;
}

async function diffOutput(repository: Repository, file: GitFile, side: Side): Promise<Uint8Array> {
  const paths = [file.path];
  const options = side === 'staged' ? ['--cached', '--find-renames'] : ['--no-renames'];
  // Both names, so that git detects the rename.
  if (side === 'staged' && file.index === 'R' && file.oldPath !== undefined) paths.push(file.oldPath);
  // For an unmerged file: the diff against our version, with conflict markers.
  if (file.conflict) options.push(hasOurs(file.conflict) ? '--ours' : '--theirs');
  const { stdout } = await repository.read(['diff', ...options, ...PATCH_FLAGS, '--', ...paths], {
    maxBytes: MAX_BYTES,
  });
  return stdout;
}

export function hasOurs(conflict: string): boolean {
  return ['AU', 'UD', 'AA', 'UU'].includes(conflict);
}

export function hasTheirs(conflict: string): boolean {
  return ['UA', 'DU', 'AA', 'UU'].includes(conflict);
}

async function untrackedPatch(repository: Repository, path: string): Promise<FilePatch> {
  const current = await readNoFollow({ root: repository.place.root, path }, MAX_BYTES);
  if (!current) throw new CodedError('GIT_CHANGED');
  if (current.content) return wholeFilePatch(current.content);
  return { state: 'added', isBinary: true, isSubmodule: false, hunks: [] };
}
