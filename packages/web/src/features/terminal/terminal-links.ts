/** Decides which terminal links are opened. A program's output never opens anything by itself. Pure. */
import { linkAddress } from '../../kit/url-policy.ts';

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
