import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { useState } from 'react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { elapsed } from '../../kit/format.ts';
import { useNow } from '../../kit/use-now.ts';
import { Button } from '../../ui/Button.tsx';

/** Note on a turn without output for a long time (H7), with actions. Nothing is stopped automatically. */
export function QuietNote({ turn, label }: { turn: Conversation['turn']; label: string }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  if (turn?.quietSince === undefined || turn.cancelling) return null;
  const sendCommand = (kind: 'turn.cancel' | 'agent.restart') => () => {
    setFault(undefined);
    channel.send({ kind }).catch((error) => setFault(faultText(error)));
  };
  return (
    <div className="banner" data-state="quiet" role="note">
      <span>
        No output for <QuietFor since={turn.quietSince} />. {label} may be retrying, or it may be stuck.{' '}
        {fault}
      </span>
      <span className="banner-actions">
        <Button onClick={sendCommand('turn.cancel')}>Stop turn</Button>
        <Button onClick={sendCommand('agent.restart')}>Restart agent</Button>
      </span>
    </div>
  );
}

function QuietFor({ since }: { since: number }) {
  return elapsed(useNow('second') - since);
}
