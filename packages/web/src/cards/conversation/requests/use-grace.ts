/**
 * The first moments of a request (C6), in which nothing answers it: after it appeared, after what it shows changed, and
 * after a request above it was settled, for then it comes to lie where that one was just clicked.
 */
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { useEffect, useState } from 'react';
import { useSelected } from '../../../ui/use-readable.ts';
import { useCard } from '../card-context.tsx';
import { GRACE_MS } from './request-keys.ts';

export function useGrace({ id, seq, request }: RequestEntry): boolean {
  const { channel } = useCard();
  const above = useSelected(channel.view, ({ conversation }) =>
    pendingRequests(conversation)
      .filter((other) => other.seq < seq)
      .map((other) => other.id)
      .join(),
  );
  const key = [id, request.shown, above].join('\n');
  const [past, setPast] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setPast(key), GRACE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return past !== key;
}
