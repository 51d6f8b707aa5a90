/** Notification settings (D7), stored per browser. */
import { persisted } from '../../kit/persisted.ts';

const flag = (whenUnset: boolean) => (raw: unknown) => (typeof raw === 'boolean' ? raw : whenUnset);

export const notifications = persisted('notifications', flag(false));
export const sound = persisted('sound', flag(false), { isShared: true });
export const doNotDisturb = persisted('do-not-disturb', flag(false), { isShared: true });

/** Asks the browser for permission; the setting stays off if it is denied. */
export async function enableNotifications(isWanted: boolean): Promise<boolean> {
  const isAllowed = isWanted && 'Notification' in window && (await allowed());
  notifications.set(isAllowed);
  return isAllowed;
}

async function allowed(): Promise<boolean> {
  if (Notification.permission !== 'default') return Notification.permission === 'granted';
  return (await Notification.requestPermission()) === 'granted';
}
