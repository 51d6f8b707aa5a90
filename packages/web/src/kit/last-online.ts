/** When this browser was last connected, for a page that shows stored data (N51). */
import type { Client } from '@tugdeck/client/client';
import { persisted } from './persisted.ts';

export const lastOnline = persisted('last-online', (raw) => (typeof raw === 'number' ? raw : 0));

const EVERY_MS = 30_000;

export function followLastOnline(client: Client): () => void {
  let wasOnline = false;
  const note = () => {
    if (wasOnline) lastOnline.set(Date.now());
  };
  const off = client.status.subscribe(() => {
    const isOnline = client.status.get().state === 'online';
    if (isOnline) wasOnline = true;
    note();
    wasOnline = isOnline;
  });
  const timer = setInterval(note, EVERY_MS);
  return () => {
    off();
    clearInterval(timer);
  };
}
