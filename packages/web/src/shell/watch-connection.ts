/** Checks the connection when it may have died unnoticed (D6): after sleep or a network change. */
import type { Client } from '@tugdeck/client/client';

export function watchConnection(client: Client): void {
  const check = () => client.checkConnection();
  addEventListener('online', check);
  addEventListener('offline', check);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') check();
  });
}
