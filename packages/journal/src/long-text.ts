/** The size limit for texts inside a change (X2). */
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';

/** Texts over this many UTF-8 bytes become blobs. */
export const LONG_TEXT = 64 * 1024;

export type Store = (text: string) => BlobRef;

export function isLong(text: string): boolean {
  return text.length > LONG_TEXT || (text.length * 3 > LONG_TEXT && Buffer.byteLength(text) > LONG_TEXT);
}
