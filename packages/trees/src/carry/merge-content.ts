/** Merges contents three-way with `git merge-file`, which every git has. Bytes in, bytes out; binaries conflict. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { git } from '@tugdeck/local/git';
import type { Shadow } from '../shadow.ts';
import { blobBatches, readBlobs, storeFiles } from './blobs.ts';
import type { MergeRequest } from './plan.ts';

const AT_ONCE = 4;
const MAX_BYTES = 64 * 1024 * 1024;
/** The number of conflicts, or 255 for a binary. */
const CONFLICTS = Array.from({ length: 255 }, (_, index) => index + 1);
/** Titles in conflict markers. */
const LABELS = ['-L', 'current', '-L', 'after the turn', '-L', 'checkpoint'];

export interface Contents {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** Returns undefined for a conflict; with `markers`, the text with conflict markers, and undefined for binaries. */
export async function mergeContent(
  scratch: string,
  { base, ours, theirs }: Contents,
  markers = false,
): Promise<Buffer | undefined> {
  const names = ['ours', 'base', 'theirs'].map((name) => join(scratch, name));
  await Promise.all([ours, base, theirs].map((bytes, index) => writeFile(names[index] ?? '', bytes)));
  const { code, stdout } = await git({
    directory: scratch,
    args: ['merge-file', '-p', '-q', ...LABELS, '--', ...names],
    environment: { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: '/' },
    answers: CONFLICTS,
    maxBytes: MAX_BYTES,
  });
  if (code === 0 || (markers && code < 128)) return stdout;
  return undefined;
}

/** Merges blobs of the shadow and stores the results there. */
export async function mergeBlobs(
  shadow: Shadow,
  requests: readonly MergeRequest[],
  markers = false,
): Promise<(string | undefined)[]> {
  if (requests.length === 0) return [];
  const results: (string | undefined)[] = requests.map(() => undefined);
  const scratch = await mkdtemp(join(shadow.directory, 'merge-'));
  try {
    for (const batch of await inBatches(shadow, requests)) {
      const wanted = batch.flatMap((index) => idsOf(requests[index]));
      const contents = await readBlobs(shadow, wanted);
      const merged: { index: number; file: string }[] = [];
      const mergeNext = async (worker: number) => {
        const directory = await mkdtemp(join(scratch, `${worker}-`));
        for (let index = batch.shift(); index !== undefined; index = batch.shift()) {
          const [base, ours, theirs] = idsOf(requests[index]).map((id) => contents.get(id));
          if (!base || !ours || !theirs) continue;
          const bytes = await mergeContent(directory, { base, ours, theirs }, markers);
          if (!bytes) continue;
          const file = join(scratch, `merged-${index}`);
          await writeFile(file, bytes);
          merged.push({ index, file });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => mergeNext(worker)));
      const ids = await storeFiles(
        shadow,
        merged.map(({ file }) => file),
      );
      merged.forEach(({ index }, at) => {
        results[index] = ids[at];
      });
    }
    return results;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function idsOf(request: MergeRequest | undefined): string[] {
  return request ? [request.base.blob, request.ours.blob, request.theirs.blob] : [];
}

/** Indexes of requests whose contents fit into memory together. */
async function inBatches(shadow: Shadow, requests: readonly MergeRequest[]): Promise<number[][]> {
  const batches = await blobBatches(shadow, requests.flatMap(idsOf));
  const batchOf = new Map(batches.flatMap((batch, index) => batch.map((blob) => [blob, index] as const)));
  const groups: number[][] = batches.map(() => []);
  requests.forEach((request, index) => {
    groups[batchOf.get(request.ours.blob) ?? 0]?.push(index);
  });
  return groups.filter((group) => group.length > 0);
}
