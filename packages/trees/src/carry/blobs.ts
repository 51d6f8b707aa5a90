/** Reads and writes many contents of a shadow repository with few processes. */
import { createHash } from 'node:crypto';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Shadow } from '../shadow.ts';

/** Read at once. */
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_COUNT = 1_000;

/** The id that git gives this content. */
export function blobId(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Splits blobs into batches that fit into memory. Throws GIT_CHANGED if one is missing. */
export async function blobBatches(shadow: Shadow, blobs: readonly string[]): Promise<string[][]> {
  const unique = [...new Set(blobs)];
  if (unique.length === 0) return [];
  const input = unique.map((blob) => `${blob}\n`).join('');
  const text = await shadow.text(['cat-file', '--batch-check'], { input });
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const line of text.split('\n').filter(Boolean)) {
    const [blob = '', kind, size] = line.split(' ');
    if (kind !== 'blob') throw new CodedError('GIT_CHANGED');
    if (batch.length === BATCH_COUNT || (batch.length > 0 && bytes + Number(size) > BATCH_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(blob);
    bytes += Number(size);
  }
  return [...batches, batch];
}

export async function readBlobs(shadow: Shadow, blobs: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (blobs.length === 0) return found;
  const input = [...new Set(blobs)].map((blob) => `${blob}\n`).join('');
  const { stdout } = await shadow.run(['cat-file', '--batch', '--buffer'], {
    input,
    maxBytes: 4 * BATCH_BYTES,
  });
  for (let at = 0; at < stdout.length; ) {
    const line = stdout.indexOf(10, at);
    const [blob = '', kind, size] = stdout.toString('latin1', at, line).split(' ');
    if (kind !== 'blob') throw new CodedError('GIT_CHANGED');
    const end = line + 1 + Number(size);
    found.set(blob, stdout.subarray(line + 1, end));
    at = end + 1;
  }
  return found;
}

/** Stores files of a scratch directory as blobs; the ids are in the same order. */
export async function storeFiles(shadow: Shadow, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const input = files.map((file) => `${file}\n`).join('');
  const text = await shadow.text(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input });
  return text.split('\n').filter(Boolean);
}
