import { openRestore } from '@tugdeck/protocol/conversation/restore-state';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard } from '../conversation/card-context.tsx';

/** A restore that is still running is younger, or was started by this page. */
const CUT_OFF_MS = 3_000;

/** A restore that a crash or a full disk cut off: finish, undo or leave it. Messages are refused until then (T19). */
export function RestoreBanner() {
  const { channel } = useCard();
  const open = useSelected(channel.view, ({ conversation, pending }) =>
    pending.some(({ kind }) => kind.startsWith('restore.')) ? undefined : openRestore(conversation),
  );
  return open ? <CutOffRestore key={open.id} restore={open.id} since={open.at} /> : null;
}

function CutOffRestore({ restore, since }: { restore: string; since: number }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const now = useNow('second');
  if (now - since < CUT_OFF_MS) return null;
  const end = (kind: 'restore.finish' | 'restore.undo' | 'restore.leave') => () => {
    setFault(undefined);
    channel.send({ kind, restore }).catch((error) => setFault(faultText(error)));
  };
  return (
    <div className="banner" data-state="quiet" role="alert">
      <span>
        A restore was interrupted. Every file is complete, either as before or as restored.{' '}
        {fault ? <span className="fault">{fault}</span> : null}
      </span>
      <span className="banner-actions">
        <Button onClick={end('restore.finish')}>Finish restore</Button>
        <Button onClick={end('restore.undo')}>Undo restore</Button>
        <Button onClick={end('restore.leave')}>Leave as is</Button>
      </span>
    </div>
  );
}
