import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { bytes } from '../../kit/format.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { useLongText } from './use-long-text.ts';

/** The rest of an entry's text that is too long to be sent with it. */
export function MoreText({ more }: { more: BlobRef }) {
  const { text, load, fault } = useLongText(more);
  if (load) {
    return (
      <p>
        <Button look="link" onClick={load}>
          Show all ({bytes(more.size)})
        </Button>
        {fault ? <span className="fault"> {fault}</span> : null}
      </p>
    );
  }
  return <pre className="plain">{visibleProse(text)}</pre>;
}
