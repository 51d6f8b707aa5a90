/**
 * Takes changes of a review back in the work tree, by hunk or by file, and undoes that (W4). What lies there must be
 * what was compared, byte for byte; else nothing is done. Every content that is replaced is in the shadow first.
 */
import { createHash } from 'node:crypto';
import type { ReviewScope } from '@tugdeck/protocol/review/review-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { revertHunk } from '@tugdeck/trees/apply-hunk';
import { fileInTree, readBlob } from '@tugdeck/trees/compare-trees';
import type { Shadow } from '@tugdeck/trees/shadow';
import { keepTree } from '@tugdeck/trees/tree-refs';
import { type Expected, type Plain, readPlain, removePlain, replacePlain } from '../files/plain-file.ts';
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
  const place = { root: shadow.project, path };
  const isKnown: Expected = (there) => there?.kind === 'file' && isContent(there, known?.blob);
  const there = await readPlain(place, MAX_BYTES);
  if (!known || !isKnown(there)) throw new CodedError('REVIEW_CONFLICT');
  const result = revertHunk(there?.content?.toString('latin1') ?? '', hunk);
  if (result === undefined) throw new CodedError('REVIEW_CONFLICT');
  const bytes = Buffer.from(result, 'latin1');
  await replacePlain(place, bytes, { maxBytes: MAX_BYTES, isExpected: isKnown });
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
    await put(shadow, oldPath, source, undefined);
    done.push({ path: oldPath, ...(source ? { after: source.blob } : {}) });
    await put(shadow, path, undefined, now?.blob);
    done.push({ path, ...(now ? { before: now } : {}) });
    return done;
  }
  await put(shadow, path, source, now?.blob);
  return [{ path, ...(now ? { before: now } : {}), ...(source ? { after: source.blob } : {}) }];
}

export async function undoRevert(desk: ReviewDesk, id: string): Promise<void> {
  const { files } = desk.notes.takeUndo(id);
  const shadow = await desk.shadow();
  for (const { path, after } of files) await expectContent(shadow, path, after);
  for (const { path, before, after } of files) await put(shadow, path, before, after);
  desk.notes.dropUndo(id);
  desk.changed();
}

/** `there` is what is replaced; no blob means no file. */
async function put(
  shadow: Shadow,
  path: string,
  version: Version | undefined,
  there: string | undefined,
): Promise<void> {
  const place = { root: shadow.project, path };
  const check = { maxBytes: MAX_BYTES, isExpected: (plain: Plain | undefined) => isContent(plain, there) };
  if (!version) {
    await removePlain(place, check);
    return;
  }
  const mode = version.mode === EXECUTABLE ? 0o755 : 0o644;
  await replacePlain(place, await readBlob(shadow, version.blob), { ...check, mode });
}

/** Refused where another content lies there than is thought. */
async function expectContent(shadow: Shadow, path: string, blob: string | undefined): Promise<void> {
  const there = await readPlain({ root: shadow.project, path }, MAX_BYTES);
  if (!isContent(there, blob)) throw new CodedError('REVIEW_CONFLICT');
}

function isContent(there: Plain | undefined, blob: string | undefined): boolean {
  if (!there || blob === undefined) return !there && blob === undefined;
  return there.content !== undefined && blobId(there.content) === blob;
}

/** As git names contents. */
function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
