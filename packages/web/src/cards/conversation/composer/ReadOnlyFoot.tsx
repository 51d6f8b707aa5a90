import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { Button } from '../../../ui/Button.tsx';

interface ReadOnlyFootProps {
  isRunning: boolean;
  isStopping: boolean;
}

/** In place of the composer on a device that may only read and answer (N55). */
export function ReadOnlyFoot({ isRunning, isStopping }: ReadOnlyFootProps) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const stop = () => channel.send({ kind: 'turn.cancel' }).catch((error) => setFault(faultText(error)));
  return (
    <div className="read-only-foot">
      <span>{fault ?? 'This device may only read and answer'}</span>
      {isRunning ? (
        <Button disabled={isStopping} onClick={() => void stop()}>
          Stop
        </Button>
      ) : null}
    </div>
  );
}
