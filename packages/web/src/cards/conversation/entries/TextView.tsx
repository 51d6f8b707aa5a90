import type { TextEntry } from '@tugdeck/protocol/conversation/entries';
import { MoreText } from '../results/MoreText.tsx';
import { CopyButton } from './CopyButton.tsx';
import { Forgotten } from './Forgotten.tsx';
import { StreamedText } from './StreamedText.tsx';

export function TextView({ entry }: { entry: TextEntry }) {
  return (
    <>
      <StreamedText id={entry.id} />
      {entry.more ? <MoreText more={entry.more} /> : null}
      {entry.forgotten ? <Forgotten /> : null}
      {entry.status === 'partial' ? null : (
        <CopyButton id={entry.id} text={entry.text} at={entry.at} note={entry.model} />
      )}
    </>
  );
}
