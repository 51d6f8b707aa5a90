import { useCallback } from 'react';
import { useCard } from '../card-context.tsx';
import { streamText } from './streaming-text.ts';

/** Markdown of an entry; React only gives it a place. */
export function StreamedText({ id }: { id: string }) {
  const { channel } = useCard();
  const mount = useCallback(
    (root: HTMLDivElement | null) => (root ? streamText(root, channel.entry(id)) : undefined),
    [channel, id],
  );
  return <div className="prose" ref={mount} />;
}
