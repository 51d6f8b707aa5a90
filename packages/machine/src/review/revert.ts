/**
 * Reverts changes of a review in the worktree, by hunk or by file, and undoes reverts (W4). The current content must
 * be exactly what was compared, otherwise nothing is done. Replaced content is kept in the shadow repository first.
 */
import { createHash } from 'node:crypto';
import {
  type ContentCheck,
  type FileContent,
  readNoFollow,
  removeNoFollow,
  replaceNoFollow,
} from '@tugdeck/local/files/no-follow-file';
import type { ReviewScope } from '@tugdeck/protocol/review/review-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { revertHunk } from '@tugdeck/trees/apply-hunk';
import { mergeBlobs } from '@tugdeck/trees/carry/merge-content';
import { fileInTree, readBlob } from '@tugdeck/trees/compare-trees';
import type { Shadow } from '@tugdeck/trees/shadow';
import { keepTree } from '@tugdeck/trees/tree-refs';
import type { Undo } from './review-notes.ts';
import type { Compared, SessionReview } from './session-review.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const EXECUTABLE = '100755';
const LINK = '120000';

interface Version {
  readonly blob: string;
  readonly mode: string;
}

export async function revert(
  review: SessionReview,
  scope: ReviewScope,
  path: string,
  hunkId: string | undefined,
): Promise<string> {
  const compared = await review.compareNow(scope);
  if (scope.since === 'between') return revertBetween(review, compared, path, hunkId);
  const { shadow, after } = compared;
  // So that the revert can be undone.
  await keepTree(shadow, review.options.session, after);
  const { file, patch } = await review.patchOf(compared, path);
  const isPart = hunkId !== undefined && file.state !== 'added' && file.state !== 'deleted';
  const files = isPart
    ? [await revertPart(compared, path, hunkId, patch)]
    : await revertWhole(compared, path, file.oldPath);
  const id = review.newId();
  review.notes.pushUndo({ id, files });
  review.changed();
  return id;
}

/**
 * Applies a change between two earlier points to the current file (T35) by a three-way merge. Later changes stay; a
 * conflict leaves the file unchanged.
 */
async function revertBetween(
  review: SessionReview,
  compared: Compared,
  path: string,
  hunkId: string | undefined,
): Promise<string> {
  const { shadow, before, after } = compared;
  const now = await review.currentTree();
  await keepTree(shadow, review.options.session, now);
  const { file, patch } = await review.patchOf(compared, path);
  const [then, later, current] = await Promise.all(
    [before, after, now].map((tree) => fileInTree(shadow, tree, path)),
  );
  const isRenamed = (file.oldPath ?? path) !== path;
  if (isRenamed || [then, later, current].some((version) => version?.mode === LINK)) {
    throw new CodedError('REVIEW_CONFLICT', "Links and renamed files can't be restored here.");
  }
  const isPart = hunkId !== undefined && then !== undefined && later !== undefined;
  const wanted = isPart ? await withoutHunk(shadow, later, findHunk(patch, hunkId)) : then;
  const result = await mergedVersion(shadow, later, current, wanted);
  await expectContent(shadow, path, current?.blob);
  await writeVersion(shadow, path, result, current?.blob);
  const id = review.newId();
  review.notes.pushUndo({
    id,
    files: [{ path, ...(current ? { before: current } : {}), ...(result ? { after: result.blob } : {}) }],
  });
  review.changed();
  return id;
}

async function withoutHunk(
  shadow: Shadow,
  version: Version,
  hunk: Parameters<typeof revertHunk>[1],
): Promise<Version> {
  const text = revertHunk((await readBlob(shadow, version.blob)).toString('latin1'), hunk);
  if (text === undefined) throw new CodedError('GIT_CHANGED');
  const input = Buffer.from(text, 'latin1');
  return { ...version, blob: (await shadow.text(['hash-object', '-w', '--stdin'], { input })).trim() };
}

/** The current version with the change from `base` to `wanted`. */
async function mergedVersion(
  shadow: Shadow,
  base: Version | undefined,
  current: Version | undefined,
  wanted: Version | undefined,
): Promise<Version | undefined> {
  if (current?.blob === base?.blob) return wanted;
  if (!base || !current || !wanted || current.blob === wanted.blob) throw new CodedError('REVIEW_CONFLICT');
  const [blob] = await mergeBlobs(shadow, [{ base, ours: current, theirs: wanted }]);
  if (blob === undefined) throw new CodedError('REVIEW_CONFLICT');
  return { mode: current.mode, blob };
}

type RevertedFile = Undo['files'][number];

async function revertPart(
  { shadow, after }: Compared,
  path: string,
  hunkId: string,
  patch: Parameters<typeof findHunk>[0],
): Promise<RevertedFile> {
  const hunk = findHunk(patch, hunkId);
  const known = await fileInTree(shadow, after, path);
  const place = { root: shadow.project, path };
  const isKnown: ContentCheck = (current) => current?.kind === 'file' && isContent(current, known?.blob);
  const there = await readNoFollow(place, MAX_BYTES);
  if (!known || !isKnown(there)) throw new CodedError('REVIEW_CONFLICT');
  const result = revertHunk(there?.content?.toString('latin1') ?? '', hunk);
  if (result === undefined) throw new CodedError('REVIEW_CONFLICT');
  const bytes = Buffer.from(result, 'latin1');
  await replaceNoFollow(place, bytes, { maxBytes: MAX_BYTES, isExpected: isKnown });
  return { path, before: known, after: blobId(bytes) };
}

function findHunk(patch: Awaited<ReturnType<SessionReview['patchOf']>>['patch'], id: string) {
  const hunk = patch.hunks.find((one) => one.id === id);
  if (!hunk) throw new CodedError('GIT_CHANGED');
  return hunk;
}

/** Reverts a whole file; for a renamed one, both names. */
async function revertWhole(
  { shadow, before, after }: Compared,
  path: string,
  oldPath: string | undefined,
): Promise<RevertedFile[]> {
  const now = await fileInTree(shadow, after, path);
  const source = await fileInTree(shadow, before, oldPath ?? path);
  if (now?.mode === LINK || source?.mode === LINK) {
    throw new CodedError('REVIEW_CONFLICT', "Links can't be reverted here.");
  }
  await expectContent(shadow, path, now?.blob);
  const done: RevertedFile[] = [];
  if (oldPath !== undefined && oldPath !== path) {
    await expectContent(shadow, oldPath, undefined);
    await writeVersion(shadow, oldPath, source, undefined);
    done.push({ path: oldPath, ...(source ? { after: source.blob } : {}) });
    await writeVersion(shadow, path, undefined, now?.blob);
    done.push({ path, ...(now ? { before: now } : {}) });
    return done;
  }
  await writeVersion(shadow, path, source, now?.blob);
  return [{ path, ...(now ? { before: now } : {}), ...(source ? { after: source.blob } : {}) }];
}

export async function undoRevert(review: SessionReview, id: string): Promise<void> {
  const { files } = review.notes.takeUndo(id);
  const shadow = await review.shadow();
  for (const { path, after } of files) await expectContent(shadow, path, after);
  for (const { path, before, after } of files) await writeVersion(shadow, path, before, after);
  review.notes.dropUndo(id);
  review.changed();
}

/** `currentBlob` is the expected current content; undefined means that no file exists. */
async function writeVersion(
  shadow: Shadow,
  path: string,
  version: Version | undefined,
  currentBlob: string | undefined,
): Promise<void> {
  const place = { root: shadow.project, path };
  const check = {
    maxBytes: MAX_BYTES,
    isExpected: (plain: FileContent | undefined) => isContent(plain, currentBlob),
  };
  if (!version) {
    await removeNoFollow(place, check);
    return;
  }
  const mode = version.mode === EXECUTABLE ? 0o755 : 0o644;
  await replaceNoFollow(place, await readBlob(shadow, version.blob), { ...check, mode });
}

/** Throws if the current content is not the expected one. */
async function expectContent(shadow: Shadow, path: string, blob: string | undefined): Promise<void> {
  const current = await readNoFollow({ root: shadow.project, path }, MAX_BYTES);
  if (!isContent(current, blob)) throw new CodedError('REVIEW_CONFLICT');
}

function isContent(current: FileContent | undefined, blob: string | undefined): boolean {
  if (!current || blob === undefined) return !current && blob === undefined;
  return current.content !== undefined && blobId(current.content) === blob;
}

/** The id that git gives this content. */
function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
