import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { turnState } from '@tugdeck/protocol/conversation/state';
import { timeUntil } from '../../../kit/format.ts';
import { keyText } from '../../../kit/keys/key-names.ts';
import { keymap } from '../../../kit/keys/keymap.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useNow } from '../../../kit/use-now.ts';
import { useReadable } from '../../../kit/use-readable.ts';

const LiveTokens = lazyComponent(() => import('./LiveTokens.tsx').then((part) => part.LiveTokens));

export interface ActivityLineProps {
  conversation: Conversation;
  waitsFor: string | undefined;
  /** The turn was cut off and cannot be marked as such because the disk is full (H5). */
  isCut: boolean;
}

/** One line under the composer: current activity, the open request, or the keys to send. */
export function ActivityLine({ conversation, waitsFor, isCut }: ActivityLineProps) {
  const state = isCut ? 'idle' : turnState(conversation);
  const { turn } = conversation;
  return (
    <div className="activity" data-state={state}>
      {isCut ? (
        <span className="activity-word">Stopped</span>
      ) : state === 'waiting' || waitsFor ? (
        <>
          <span className="truncate activity-waits">Needs you: {waitsFor}</span>
          <RequestKey />
        </>
      ) : turn ? (
        <>
          <span className="activity-word">{turn.cancelling ? 'Stopping' : PHASES[turn.phase]}</span>
          {turn.note ? <span className="truncate">{turn.note}</span> : null}
          {turn.phase === 'retrying' && turn.until !== undefined ? <Until at={turn.until} /> : null}
          <LiveTokens />
        </>
      ) : (
        <span className="activity-hint">Enter to send, Shift+Enter for a new line</span>
      )}
    </div>
  );
}

/** The key that leads to the request (D42). */
function RequestKey() {
  const press = useReadable(keymap).get('request.next');
  return press === undefined ? null : (
    <span className="activity-key">
      Press <kbd>{keyText(press)}</kbd>
    </span>
  );
}

const PHASES = { running: 'Working', compacting: 'Compacting context', retrying: 'Retrying' } as const;

function Until({ at }: { at: number }) {
  return timeUntil(at, useNow('second'));
}
