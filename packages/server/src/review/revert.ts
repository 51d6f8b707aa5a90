/**
 * Takes changes of a review back in the work tree, by hunk or by file, and undoes that (W4). What lies there must be
 * what was compared, byte for byte; else nothing is done. Every content that is replaced is in the shadow first.
 */
import { createHash } from 'node:crypto';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReviewScope } from '@tugdeck/protocol/review/review-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { revertHunk } from '@tugdeck/trees/apply-hunk';
import { fileInTree, readBlob } from '@tugdeck/trees/compare-trees';
import { readInside, removeInside, writeInside } from '@tugdeck/trees/inside';
import type { Shadow } from '@tugdeck/trees/shadow';
import { keepTree } from '@tugdeck/trees/tree-refs';
import type { Compared, ReviewDesk } from './review-desk.ts';
import type { Undo } from './review-notes.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const EXECUTABLE = '100755';
const LINK = '120000';

interface Version {
  readonly blob: string;
  readonly mode: string;
}

export async function revert(
  desk: ReviewDesk,
  scope: ReviewScope,
  path: string,
  hunkId: string | undefined,
): Promise<string> {
  const compared = await desk.compareNow(scope);
  const { shadow, after } = compared;
  // So that what is replaced can be brought back.
  await keepTree(shadow, desk.options.session, after);
  const { file, patch } = await desk.patchOf(compared, path);
  const isPart = hunkId !== undefined && file.state !== 'added' && file.state !== 'deleted';
  const files = isPart
    ? [await revertPart(compared, path, hunkId, patch)]
    : await revertWhole(compared, path, file.oldPath);
  const id = desk.newId();
  desk.notes.pushUndo({ id, files });
  desk.changed();
  return id;
}

type Done = Undo['files'][number];

async function revertPart(
  { shadow, after }: Compared,
  path: string,
  hunkId: string,
  patch: Parameters<typeof findHunk>[0],
): Promise<Done> {
  const hunk = findHunk(patch, hunkId);
  const known = await fileInTree(shadow, after, path);
  const content = await readInside(shadow.project, path, MAX_BYTES);
  if (!known || blobId(content) !== known.blob) throw new CodedError('REVIEW_CONFLICT');
  const result = revertHunk(content.toString('latin1'), hunk);
  if (result === undefined) throw new CodedError('REVIEW_CONFLICT');
  const bytes = Buffer.from(result, 'latin1');
  await writeInside(shadow.project, path, bytes);
  return { path, before: known, after: blobId(bytes) };
}

function findHunk(patch: Awaited<ReturnType<ReviewDesk['patchOf']>>['patch'], id: string) {
  const hunk = patch.hunks.find((one) => one.id === id);
  if (!hunk) throw new CodedError('GIT_CHANGED');
  return hunk;
}

/** The file as it was; of a renamed one both names. */
async function revertWhole(
  { shadow, before, after }: Compared,
  path: string,
  oldPath: string | undefined,
): Promise<Done[]> {
  const now = await fileInTree(shadow, after, path);
  const source = await fileInTree(shadow, before, oldPath ?? path);
  if (now?.mode === LINK || source?.mode === LINK) {
    throw new CodedError('REVIEW_CONFLICT', 'A link is not reverted from here.');
  }
  await expectContent(shadow, path, now?.blob);
  const done: Done[] = [];
  if (oldPath !== undefined && oldPath !== path) {
    await expectContent(shadow, oldPath, undefined);
    await put(shadow, oldPath, source);
    done.push({ path: oldPath, ...(source ? { after: source.blob } : {}) });
    await put(shadow, path, undefined);
    done.push({ path, ...(now ? { before: now } : {}) });
    return done;
  }
  await put(shadow, path, source);
  return [{ path, ...(now ? { before: now } : {}), ...(source ? { after: source.blob } : {}) }];
}

export async function undoRevert(desk: ReviewDesk, id: string): Promise<void> {
  const { files } = desk.notes.takeUndo(id);
  const shadow = await desk.shadow();
  for (const { path, after } of files) await expectContent(shadow, path, after);
  for (const { path, before } of files) await put(shadow, path, before);
  desk.notes.dropUndo(id);
  desk.changed();
}

async function put(shadow: Shadow, path: string, version: Version | undefined): Promise<void> {
  if (!version) {
    await removeInside(shadow.project, path);
    return;
  }
  const mode = version.mode === EXECUTABLE ? 0o755 : 0o644;
  await writeInside(shadow.project, path, await readBlob(shadow, version.blob), mode);
}

/** Refused where another content lies there than is thought; no blob means no file. */
async function expectContent(shadow: Shadow, path: string, blob: string | undefined): Promise<void> {
  const place = join(shadow.project, path);
  const facts = await lstat(place).catch(() => undefined);
  if (!facts || blob === undefined) {
    if (!facts === (blob === undefined)) return;
    throw new CodedError('REVIEW_CONFLICT');
  }
  const content = facts.isSymbolicLink()
    ? Buffer.from(await readlink(place))
    : await readInside(shadow.project, path, MAX_BYTES);
  if (blobId(content) !== blob) throw new CodedError('REVIEW_CONFLICT');
}

/** As git names contents. */
function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
