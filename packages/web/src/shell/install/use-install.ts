import type { Client } from '@tugdeck/client/client';
import { isInstallable } from '@tugdeck/protocol/wire/installable';
import { useEffect } from 'react';

/** Makes the page installable where it can be, and takes what was shared with it (N51). */
export function useInstall(client: Client): void {
  useEffect(() => {
    if (!isInstallable(location.origin)) return;
    if (location.search === '?shared')
      void import('./take-shared.ts').then((part) => part.takeShared(client));
    const check = () => {
      if (client.status.get().state !== 'online') return;
      off();
      void import('./install-page.ts').then((part) => part.installPage());
    };
    const off = client.status.subscribe(check);
    check();
    return off;
  }, [client]);
}
