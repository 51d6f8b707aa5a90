import type { AgentStatus } from '@tugdeck/protocol/conversation/session-info';
import { useState } from 'react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

const AnotherAgent = lazyComponent(() => import('./AnotherAgent.tsx').then((part) => part.AnotherAgent));

/** Banner for an agent that stopped or cannot start: what happened, what is safe, what to do (A24, H6). */
export function AgentBanner({ agent, label }: { agent: AgentStatus; label: string }) {
  const { channel } = useCard();
  const failure = useReadable(channel.fault);
  const [refused, setRefused] = useState<string>();
  const isGone = agent.state === 'failed' || agent.state === 'disconnected';
  // An agent that only stopped is back within a second: a banner would flicker.
  const isRetried = agent.state === 'reconnecting' && agent.unstarted === true;
  // The error message says what is lost or recovered (H5).
  const isUnsaved = failure?.code === 'DATA_UNWRITABLE';
  if (!isGone && !isRetried && !failure) return null;
  const restart = () => {
    setRefused(undefined);
    channel.send({ kind: 'agent.restart' }).catch((error) => setRefused(faultText(error)));
  };
  const reason = refused ?? (failure ? faultText(failure) : (agent.reason ?? `${label} stopped.`));
  return (
    <div
      className="banner"
      role={isRetried ? 'status' : 'alert'}
      data-state={isRetried ? 'quiet' : agent.state}
    >
      <span>
        {visibleText(reason)}{' '}
        <span className="muted">
          {isRetried ? <NextTry at={agent.retryAt} /> : isUnsaved ? null : 'Your conversation is saved.'}
        </span>
      </span>
      {agent.unstarted ? <AnotherAgent onFault={setRefused} /> : null}
      <Button onClick={restart}>{agent.unstarted ? 'Reconnect' : 'Restart agent'}</Button>
    </div>
  );
}

function NextTry({ at }: { at: number | undefined }) {
  const now = useNow('second');
  const seconds = Math.max(0, Math.ceil(((at ?? now) - now) / 1000));
  return seconds === 0 ? 'Retrying…' : `Retrying in ${seconds}s`;
}
