/** Finds references to long texts (blobs, by hash) in any value and replaces them with their text. Pure. */
import { type Hunk, hunkSchema } from '@tugdeck/protocol/conversation/entries';
import { type BlobRef, blobRefSchema } from '@tugdeck/protocol/conversation/long-text';

export function blobsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (isBlob(value)) found.add(value.blob);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) blobsIn(part, found);
  return found;
}

export function withBlobs(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (isBlob(value)) {
    const text = texts.get(value.blob);
    return text === undefined ? value : value.form === 'json' ? readJson(text) : text;
  }
  if (Array.isArray(value)) return value.map((part) => withBlobs(part, texts));
  if (typeof value !== 'object' || value === null) return value;
  if ('hunks' in value && 'more' in value) return withAllHunks(value, texts);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withBlobs(part, texts)]));
}

/** Replaces the beginning of a long diff with all its hunks. */
function withAllHunks(file: { more: unknown }, texts: ReadonlyMap<string, string>): unknown {
  const hunks = isBlob(file.more) ? readHunks(texts.get(file.more.blob)) : undefined;
  if (!hunks) return file;
  const { more: _, ...rest } = file;
  return { ...rest, hunks };
}

export function readHunks(text: string | undefined): Hunk[] | undefined {
  return text === undefined ? undefined : hunkSchema.array().safeParse(readJson(text)).data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

export function isBlob(value: unknown): value is BlobRef {
  return (
    typeof value === 'object' && value !== null && 'blob' in value && blobRefSchema.safeParse(value).success
  );
}
