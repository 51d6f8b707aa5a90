/** Attachment data for display: messages carry files as base64, inline or as a blob. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { attachmentForm } from '@tugdeck/protocol/conversation/sendable';
import { apiFetch } from '../../kit/api.ts';
import { blobUrl } from '../conversation/blob-text.ts';

export function isImage(file: Pick<Attachment, 'name' | 'mimeType' | 'size'>): boolean {
  return attachmentForm(file) === 'image';
}

/**
 * A URL for an image element. Only the four raster types pass `isImage`, so it is never an SVG. The browser caches
 * the response: images are too large to keep here.
 */
export async function imageUrl(
  session: string,
  { mimeType, data }: Pick<Attachment, 'mimeType' | 'data'>,
): Promise<string> {
  if (typeof data === 'string') return `data:${mimeType};base64,${data}`;
  const response = await apiFetch(blobUrl(session, data.blob));
  if (!response.ok) throw new Error(`Couldn’t load this image (${response.status})`);
  return `data:${mimeType};base64,${await response.text()}`;
}
