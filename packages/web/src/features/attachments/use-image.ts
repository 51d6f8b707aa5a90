/** Loads an image of a message or result: a URL for an image element, or why it cannot be loaded. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { imageUrl } from './attachment-data.ts';

export interface LoadedImage {
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
