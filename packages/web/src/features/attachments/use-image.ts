/** Loads an image of a message or result: a URL for an image element, or why it cannot be loaded. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { attachmentForm } from '@tugdeck/protocol/conversation/sendable';
import { useEffect, useState } from 'react';
import { apiFetch } from '../../kit/api.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { blobUrl } from '../conversation/blob-text.ts';

interface LoadedImage {
  readonly url?: string;
  readonly fault?: string;
}

export function useImage(session: string, file: Pick<Attachment, 'mimeType' | 'data'>): LoadedImage {
  const { mimeType, data } = file;
  const [loaded, setLoaded] = useState<LoadedImage>({});
  useEffect(() => {
    let isGone = false;
    imageUrl(session, { mimeType, data }).then(
      (url) => isGone || setLoaded({ url }),
      (error) => isGone || setLoaded({ fault: faultText(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [session, mimeType, data]);
  return loaded;
}

/** Whether an attachment is displayed as an image. */
export function isImage(file: Pick<Attachment, 'name' | 'mimeType' | 'size'>): boolean {
  return attachmentForm(file) === 'image';
}

/**
 * Messages carry files as base64, inline or as a blob. Only the four raster types pass `isImage`, so it is never an SVG. The browser caches
 * the response: images are too large to keep here.
 */
async function imageUrl(
  session: string,
  { mimeType, data }: Pick<Attachment, 'mimeType' | 'data'>,
): Promise<string> {
  if (typeof data === 'string') return `data:${mimeType};base64,${data}`;
  const response = await apiFetch(blobUrl(session, data.blob));
  if (!response.ok) throw new Error(`Couldn’t load this image (${response.status})`);
  return `data:${mimeType};base64,${await response.text()}`;
}
