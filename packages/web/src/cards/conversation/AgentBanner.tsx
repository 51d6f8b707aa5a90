import type { AgentStatus } from '@tugdeck/protocol/conversation/session-facts';
import { useState } from 'react';
import { faultText } from '../../app/deck-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { useReadable } from '../../ui/use-readable.ts';
import { useCard } from './card-context.tsx';

/** The agent is gone and does not come back by itself: what happened, what is safe, what to do. */
export function AgentBanner({ agent, label }: { agent: AgentStatus; label: string }) {
  const { channel } = useCard();
  const failure = useReadable(channel.fault);
  const [refused, setRefused] = useState<string>();
  const isGone = agent.state === 'failed' || agent.state === 'disconnected';
  if (!isGone && !failure) return null;
  const restart = () => {
    setRefused(undefined);
    channel.send({ kind: 'agent.restart' }).catch((error) => setRefused(faultText(error)));
  };
  const reason = refused ?? (failure ? faultText(failure) : (agent.reason ?? `${label} stopped.`));
  return (
    <div className="banner" role="alert" data-state={agent.state}>
      <span>
        {reason} <span className="muted">Your conversation is saved.</span>
      </span>
      <Button onClick={restart}>Restart agent</Button>
    </div>
  );
}
