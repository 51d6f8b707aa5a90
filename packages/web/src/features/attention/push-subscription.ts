/** This browser's subscription with its push service (N52), made only when the user turns notifications on. */
import type { PushDevice } from '@tugdeck/protocol/areas/push';
import { persisted } from '../../kit/persisted.ts';

/** The server calls this browser, so the page does not notify as well. */
export const isCalled = persisted('called', (raw) => raw === true);

type Subscription = Pick<PushDevice, 'endpoint' | 'keys'>;

/** Throws with the reason, for the user. */
export async function subscribe(serverKey: string): Promise<Subscription> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('Notifications are blocked. Allow them in your browser’s site settings.');
  const { pushManager } = await navigator.serviceWorker.ready;
  // One for another key, such as that of an earlier data directory, takes no messages.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(serverKey) })
    .catch(() => {
      throw new Error('Your browser’s push service can’t be reached.');
    });
  const { endpoint, keys } = made.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error('Your browser has no push service.');
  return { endpoint, keys: { p256dh, auth } };
}

export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
}
