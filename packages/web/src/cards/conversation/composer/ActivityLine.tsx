import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { turnState } from '@tugdeck/protocol/conversation/state';
import { late } from '../../../ui/late.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { elapsed } from '../../../ui/words.ts';

const LiveTokens = late(() => import('./LiveTokens.tsx').then((part) => part.LiveTokens));

export interface ActivityLineProps {
  conversation: Conversation;
  waitsFor: string | undefined;
}

/** One line of fixed height under the composer: what goes on, for how long, at what cost. */
export function ActivityLine({ conversation, waitsFor }: ActivityLineProps) {
  const state = turnState(conversation);
  const { turn } = conversation;
  const since = conversation.turns.at(-1)?.startedAt;
  return (
    <div className="activity" data-state={state}>
      {state === 'waiting' || waitsFor ? (
        <span className="truncate activity-waits">Waits for you: {waitsFor}</span>
      ) : turn ? (
        <>
          <span className="activity-word">{turn.cancelling ? 'Stopping' : PHASES[turn.phase]}</span>
          {turn.note ? <span className="truncate">{turn.note}</span> : null}
          {since === undefined ? null : <Elapsed since={since} />}
          <LiveTokens />
        </>
      ) : (
        <span className="activity-hint">Enter sends, Shift+Enter makes a new line</span>
      )}
    </div>
  );
}

const PHASES = { running: 'Working', compacting: 'Compacting', retrying: 'Trying again' } as const;

function Elapsed({ since }: { since: number }) {
  const now = useNow('second');
  return <span className="activity-time">{elapsed(now - since)}</span>;
}
