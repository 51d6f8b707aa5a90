/** Banners and notes about a session: a stopped agent, a quiet turn, a session of another program. */
import type { AgentStatus } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useState } from 'react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { asksAgain } from '../../features/conversation/turn-facts.ts';
import { MachineNote } from '../../features/machines/MachineNote.tsx';
import { useClient } from '../../kit/client-context.tsx';
import { faultText, forkSession } from '../../kit/deck-actions.ts';
import { elapsed } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { isLimited } from '../../kit/limited.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

const ForkElsewhere = lazyComponent(() => import('./ForkElsewhere.tsx').then((part) => part.ForkElsewhere));
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

/**
 * Note on a turn without output for a long time (H7), with actions, and on an answer that the agent discarded (A8).
 * Nothing is stopped automatically.
 */
export function QuietNote({ conversation, label }: { conversation: Conversation; label: string }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const { turn } = conversation;
  const isAgain = asksAgain(conversation);
  const isQuiet = turn?.quietSince !== undefined;
  if (!turn || turn.cancelling || !(isQuiet || isAgain)) return null;
  const sendCommand = (kind: 'turn.cancel' | 'agent.restart') => () => {
    setFault(undefined);
    channel.send({ kind }).catch((error) => setFault(faultText(error)));
  };
  return (
    <div className="banner" data-state="quiet" role="note">
      <span>
        {isAgain ? `The answer was cut off. ${label} is asking the model again. ` : null}
        {turn.quietSince === undefined ? null : (
          <>
            No output for <QuietFor since={turn.quietSince} />. {label} may be retrying, or it may be stuck.{' '}
          </>
        )}
        {fault}
      </span>
      {isQuiet ? (
        <span className="banner-actions">
          <Button onClick={sendCommand('turn.cancel')}>Stop turn</Button>
          <Button onClick={sendCommand('agent.restart')}>Restart agent</Button>
        </span>
      ) : null}
    </div>
  );
}

function QuietFor({ since }: { since: number }) {
  return elapsed(useNow('second') - since);
}

/** Where the session is: on another machine, or in another program. */
export function PlaceNotes(props: { row: SessionRow | undefined; label: string | undefined }) {
  const { row } = props;
  const isReadOnly = useReadable(isLimited);
  return (
    <>
      <MachineNote row={row} action={row && !isReadOnly ? <ForkElsewhere row={row} /> : null} />
      <ExternalSessionNote {...props} />
    </>
  );
}

/** Note on an external session (A40): what sending a message here does, and the alternative. */
function ExternalSessionNote({ row, label }: { row: SessionRow | undefined; label: string | undefined }) {
  const client = useClient();
  const [fault, setFault] = useState<string>();
  if (row?.origin !== 'foreign') return null;
  const fork = () => {
    setFault(undefined);
    forkSession(client, row.id).catch((error: unknown) => setFault(faultText(error)));
  };
  return (
    <div className="foreign-note" role="note" data-elsewhere={row.elsewhere ?? false}>
      <span>
        {fault ??
          (row.elsewhere
            ? 'This session is active in another program. You’re watching it live. Fork it to continue in a copy.'
            : `Started in ${label ?? 'another program'}. Send a message to continue it here.`)}
      </span>
      <Button onClick={fork}>Fork</Button>
    </div>
  );
}
