/**
 * Reads a file for the editor: its text with the hash for a later save, or why it cannot be edited. Never reads more
 * than the limit, even if the file grows.
 */
import { createHash } from 'node:crypto';
import { access, constants, type FileHandle } from 'node:fs/promises';
import { openFile } from '@tugdeck/local/files/confined';
import { coded } from '@tugdeck/local/files/file-faults';
import type { FileText } from '@tugdeck/protocol/files/messages';
import { MAX_TEXT } from '@tugdeck/protocol/files/messages';
import { previewOf } from '@tugdeck/protocol/files/preview-types';

// Keep the byte order mark, so that a save writes it back.
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns undefined for bytes that are not text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return DECODER.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export function readText(root: string, path: string, known?: string): Promise<FileText> {
  return coded(async () => {
    const { handle, stats } = await openFile(root, path);
    try {
      const preview = previewOf(path);
      if (stats.size > MAX_TEXT) return { kind: 'large', size: stats.size, ...(preview && { preview }) };
      const bytes = await readBounded(handle, MAX_TEXT);
      if (!bytes) return { kind: 'large', size: stats.size };
      const hash = hashOf(bytes);
      if (hash === known) return { kind: 'same', hash };
      const text = textOf(bytes);
      if (text === undefined)
        return { kind: 'binary', size: bytes.length, hash, ...(preview && { preview }) };
      return { kind: 'text', text, hash, isWritable: await isWritable(root, path) };
    } finally {
      await handle.close();
    }
  });
}

/** Reads from the start, whatever the handle's position. Returns undefined if there is more than `limit`. */
export async function readBounded(handle: FileHandle, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(Math.min(256 * 1024, limit + 1 - total));
    const { bytesRead } = await handle.read(part, 0, part.length, total);
    if (bytesRead === 0) return Buffer.concat(parts, total);
    parts.push(part.subarray(0, bytesRead));
    total += bytesRead;
    if (total > limit) return undefined;
  }
}

/** Only a hint for the editor; the save itself decides. */
async function isWritable(root: string, path: string): Promise<boolean> {
  return access(`${root}/${path}`, constants.W_OK).then(
    () => true,
    () => false,
  );
}
