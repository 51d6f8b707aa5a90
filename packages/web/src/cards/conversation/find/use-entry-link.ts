/** A link to an entry (`#/session/<id>/<entry>`) goes there once the conversation is here, loading what it takes. */
import { useEffect } from 'react';
import { entryOfHash } from '../../../app/route.ts';
import type { Reading } from './reading.ts';

export function useEntryLink(reading: Reading, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return;
    const go = () => {
      const entry = entryOfHash(location.hash);
      if (entry !== undefined) void reading.jumpTo(entry);
    };
    go();
    addEventListener('hashchange', go);
    return () => removeEventListener('hashchange', go);
  }, [reading, isReady]);
}
