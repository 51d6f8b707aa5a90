/**
 * Scrolls to the entry in the URL (`#/session/<id>/<entry>`) once the conversation is loaded, loading older pages
 * if needed.
 */
import { useEffect } from 'react';
import type { Reading } from '../../../features/conversation/reading.ts';
import { entryOfHash, route, sessionOfHash } from '../../../kit/route.ts';

export function useEntryLink(session: string, reading: Reading, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return;
    const go = () => {
      const entry = entryOfHash(location.hash);
      const isMine = sessionOfHash(location.hash) === session;
      if (entry !== undefined && isMine) void reading.jumpTo(entry);
    };
    go();
    return route.subscribe(go);
  }, [session, reading, isReady]);
}
