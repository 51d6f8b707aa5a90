/** Long texts lie elsewhere by their hash: finds them in any value, and puts them back where they belong. Pure. */
import { type BlobRef, blobRefSchema } from '@tugdeck/protocol/conversation/entries';

export function blobsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (isBlob(value)) found.add(value.blob);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) blobsIn(part, found);
  return found;
}

export function withBlobs(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (isBlob(value)) return texts.get(value.blob) ?? value;
  if (Array.isArray(value)) return value.map((part) => withBlobs(part, texts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withBlobs(part, texts)]));
}

function isBlob(value: unknown): value is BlobRef {
  return (
    typeof value === 'object' && value !== null && 'blob' in value && blobRefSchema.safeParse(value).success
  );
}
