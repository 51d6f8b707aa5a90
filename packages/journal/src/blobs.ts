/**
 * Stores long texts and binaries by content hash (X2), one file each, written once. A file name is always a hash, so
 * no path can leave the directory.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivate, type SessionDirectory } from '@tugdeck/local/data-directory';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { isMissing } from './files.ts';

/** Length of the preview that is shown without fetching the blob, in UTF-16 units. */
export const BLOB_HEAD = 8 * 1024;
export const BLOB_TAIL = 2 * 1024;

const HASH = /^[0-9a-f]{64}$/;
type Blobs = Pick<SessionDirectory, 'blobs'>;

/** Pass `flush: false` for a copy of data that is also stored elsewhere. */
export function storeText({ blobs }: Blobs, text: string, { flush = true } = {}): BlobRef {
  const bytes = Buffer.from(text, 'utf8');
  const blob = createHash('sha256').update(bytes).digest('hex');
  const file = join(blobs, blob);
  if (!existsSync(file)) {
    makePrivate(blobs);
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, bytes, { mode: 0o600, flush });
    renameSync(draft, file);
  }
  return { blob, size: bytes.length, head: headOf(text), tail: tailOf(text) };
}

/** Returns `undefined` if `hash` is not a hash or is not stored. */
export function readBlob({ blobs }: Blobs, hash: string): Buffer | undefined {
  if (!HASH.test(hash)) return undefined;
  try {
    return readFileSync(join(blobs, hash));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Stores a blob of one session in another one. Returns false if `hash` is not stored there. */
export function copyBlob(from: Blobs, to: Blobs, hash: string): boolean {
  const source = join(from.blobs, hash);
  if (!HASH.test(hash) || !existsSync(source)) return false;
  const file = join(to.blobs, hash);
  if (existsSync(file)) return true;
  makePrivate(to.blobs);
  const draft = `${file}.${randomUUID()}`;
  copyFileSync(source, draft);
  renameSync(draft, file);
  return true;
}

/** The beginning of a text, without splitting a surrogate pair. */
function headOf(text: string): string {
  const last = text.charCodeAt(BLOB_HEAD - 1);
  const isSplit = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, isSplit ? BLOB_HEAD - 1 : BLOB_HEAD);
}

function tailOf(text: string): string {
  const start = Math.max(headOf(text).length, text.length - BLOB_TAIL);
  const first = text.charCodeAt(start);
  const isSplit = first >= 0xdc00 && first < 0xe000;
  return text.slice(isSplit ? start + 1 : start);
}
