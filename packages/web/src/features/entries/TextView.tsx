import type { TextEntry } from '@tugdeck/protocol/conversation/entries';
import { useCallback, useState } from 'react';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { MoreText } from '../tool-results/MoreText.tsx';
import { CopyButton } from './CopyButton.tsx';
import { MissingContext } from './MissingContext.tsx';

export function TextView({ entry }: { entry: TextEntry }) {
  // A long answer that was streamed stays expanded: the user has just read its end.
  const [isKept, setKept] = useState(false);
  const keep = useCallback(() => setKept(true), []);
  return (
    <>
      <StreamedText id={entry.id} onKept={keep} />
      {entry.more && !isKept ? <MoreText more={entry.more} /> : null}
      {entry.forgotten ? <MissingContext /> : null}
      {entry.status === 'partial' ? null : (
        <CopyButton id={entry.id} text={entry.text} at={entry.at} note={entry.model} />
      )}
    </>
  );
}
