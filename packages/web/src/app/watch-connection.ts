/** Moments at which the link to the server may have died unnoticed (D6): the machine slept, the network changed. */
import type { Client } from '@tugdeck/client/client';

export function watchConnection(client: Client): void {
  const look = () => client.checkConnection();
  addEventListener('online', look);
  addEventListener('offline', look);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') look();
  });
}
