/**
 * Gets the page's sign-in (X1): from the one-time token in the URL, or from this browser. The token is removed from
 * the URL bar first.
 */
import { Access } from '@tugdeck/client/access';
import type { Client } from '@tugdeck/client/client';
import { createCell, FrameQueue, type Readable } from '@tugdeck/client/store';
import { credentials, grant } from '../kit/cache-port.ts';
import { clearLocalData } from '../kit/clear-local-data.ts';

const refusal = createCell(false, new FrameQueue((run) => requestAnimationFrame(run)));
/** The sign-in link was used or expired, and this browser has no other sign-in. */
export const wasRefused: Readable<boolean> = refusal;

export function openAccess(): Access {
  const access = new Access({ origin: location.origin, store: credentials, onNewInstance: startClean });
  if (grant === undefined) return access;
  history.replaceState(history.state, '', `/${location.hash}`);
  access.redeem(grant.token, grant.request).then(
    (isGood) => refusal.set(!isGood),
    (error: unknown) => console.warn('sign-in', error),
  );
  return access;
}

/** The page may have read old data already, so it reloads without it. */
async function startClean(): Promise<void> {
  if (!(await clearLocalData())) return;
  location.reload();
  await new Promise(() => undefined);
}

/** Redirects a page without a sign-in to the password form when the server is reached from another machine. */
export function offerPassword(client: Client, access: Access): void {
  let wasIn = false;
  client.status.subscribe(() => {
    const { state } = client.status.get();
    wasIn ||= state === 'online';
    if (state === 'signed-out' && access.hasPassword && !wasIn) location.replace('/sign-in');
  });
}
