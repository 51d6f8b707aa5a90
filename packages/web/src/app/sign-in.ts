/**
 * How this page gets its sign-in (X1): by the token in its address, once, or from this browser. The token leaves the address bar
 * before anything else happens.
 */
import { Access } from '@tugdeck/client/access';
import type { Client } from '@tugdeck/client/client';
import { createCell, FrameQueue, type Readable } from '@tugdeck/client/store';
import { credentials } from './cache-port.ts';
import { clearLocalData } from './clear-local-data.ts';

const TOKEN = /^\/in\/([\w-]{1,200})$/;

const refusal = createCell(false, new FrameQueue((run) => requestAnimationFrame(run)));
/** The address that was opened had been used, or was too old, and this browser had no other sign-in. */
export const wasRefused: Readable<boolean> = refusal;

export function openAccess(): Access {
  const access = new Access({ origin: location.origin, store: credentials, onNewInstance: startClean });
  const token = TOKEN.exec(location.pathname)?.[1];
  if (token === undefined) return access;
  history.replaceState(history.state, '', `/${location.hash}`);
  access.redeem(token).then(
    (isGood) => refusal.set(!isGood),
    (error: unknown) => console.warn('sign-in', error),
  );
  return access;
}

/** The page may have read it already: then it comes again without. */
async function startClean(): Promise<void> {
  if (!(await clearLocalData())) return;
  location.reload();
  await new Promise(() => undefined);
}

/** From elsewhere one signs in with a password: a page that never was in goes there. */
export function offerPassword(client: Client, access: Access): void {
  let wasIn = false;
  client.status.subscribe(() => {
    const { state } = client.status.get();
    wasIn ||= state === 'online';
    if (state === 'signed-out' && access.hasPassword && !wasIn) location.replace('/sign-in');
  });
}
