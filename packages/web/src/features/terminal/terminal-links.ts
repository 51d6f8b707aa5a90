/** Decides which terminal links are opened. A program's output never opens anything by itself. Pure. */
import { readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { canPreview } from '../../kit/preview.ts';
import { linkAddress } from '../../kit/url-policy.ts';

/** A server on this machine opens as a preview, with Shift in a browser tab. */
export function previewToOpen(
  { shiftKey }: Pick<MouseEvent, 'shiftKey'>,
  address: string,
): string | undefined {
  return !shiftKey && canPreview() && readLocalAddress(address) ? address : undefined;
}

/** Requires the modifier that opens links: a plain click selects text. */
export function linkToOpen(
  { ctrlKey, metaKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey'>,
  address: string,
): string | undefined {
  if (!ctrlKey && !metaKey) return undefined;
  // Absolute URLs only: nothing may be resolved against our page.
  if (!/^https?:\/\//i.test(address)) return undefined;
  return linkAddress(address, address);
}
