import type { AgentStatus } from '@tugdeck/protocol/conversation/session-facts';
import { useState } from 'react';
import { faultText } from '../../app/deck-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard } from './card-context.tsx';

/** The agent is gone and does not come back by itself: what happened, what is safe, what to do. */
export function AgentBanner({ agent, label }: { agent: AgentStatus; label: string }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  if (agent.state !== 'failed' && agent.state !== 'disconnected') return null;
  const restart = () => {
    setFault(undefined);
    channel.send({ kind: 'agent.restart' }).catch((error) => setFault(faultText(error)));
  };
  return (
    <div className="banner" role="alert" data-state={agent.state}>
      <span>
        {fault ?? agent.reason ?? `${label} stopped.`}{' '}
        <span className="muted">Your conversation is saved.</span>
      </span>
      <Button onClick={restart}>Restart agent</Button>
    </div>
  );
}
