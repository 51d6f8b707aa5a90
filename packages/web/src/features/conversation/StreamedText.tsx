import { useCallback } from 'react';
import { streamText } from '../prose/streaming-text.ts';
import { useCard } from './card-context.tsx';

/** The Markdown of an entry; React only provides the element. */
export function StreamedText({ id, onKept }: { id: string; onKept?: () => void }) {
  const { channel } = useCard();
  const mount = useCallback(
    (root: HTMLDivElement | null) => (root ? streamText(root, channel.entry(id), onKept) : undefined),
    [channel, id, onKept],
  );
  return <div className="prose" ref={mount} />;
}
