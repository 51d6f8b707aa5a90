/** Starts notifications and seen tracking after the first render; neither is part of the first load. */
import type { Client } from '@tugdeck/client/client';
import { useEffect } from 'react';

export function useAttention(client: Client): void {
  useEffect(() => {
    let stops: (() => void)[] = [];
    let isGone = false;
    const start = async () => {
      const [{ notifyUser }, { markSeen }] = await Promise.all([
        import('./notify-user.ts'),
        import('./mark-seen.ts'),
      ]);
      if (!isGone) stops = [notifyUser(client), markSeen(client)];
    };
    start().catch((error: unknown) => console.warn('attention', error));
    return () => {
      isGone = true;
      for (const stop of stops) stop();
    };
  }, [client]);
}
