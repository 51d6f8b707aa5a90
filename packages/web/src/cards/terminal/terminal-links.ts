/** Which links of a terminal are followed, and when. What a program writes never opens anything by itself. Pure. */
import { linkAddress } from '../../markdown/url-policy.ts';

/** By a click with the key that opens links elsewhere: a plain click selects. */
export function linkToOpen(
  { ctrlKey, metaKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey'>,
  address: string,
): string | undefined {
  if (!ctrlKey && !metaKey) return undefined;
  // Whole addresses only: nothing of a program's is relative to our page.
  if (!/^https?:\/\//i.test(address)) return undefined;
  return linkAddress(address, address);
}
