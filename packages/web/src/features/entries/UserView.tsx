import type { Delivery, UserEntry } from '@tugdeck/protocol/conversation/entries';
import { GitFork } from 'lucide-react';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText, forkSession } from '../../kit/deck-actions.ts';
import { useNow } from '../../kit/use-now.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { AttachmentChips } from '../attachments/AttachmentChips.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { RestoreHere } from '../restore/RestoreHere.tsx';
import { CopyButton } from './CopyButton.tsx';
import { MissingContext } from './MissingContext.tsx';

export function UserView({ entry }: { entry: UserEntry }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const deliveryLabel = deliveryText(entry.delivery);
  const isUndecided = entry.delivery === 'doubted' || entry.delivery === 'failed';
  const decide = (kind: 'prompt.resend' | 'prompt.drop') =>
    channel.send({ kind, prompt: entry.id }).catch((error) => setFault(faultText(error)));
  return (
    <div className="user">
      {entry.text === '' ? null : (
        <div className="bubble" data-delivery={entry.delivery}>
          {visibleProse(entry.text)}
        </div>
      )}
      {entry.attachments?.length ? <AttachmentChips list={entry.attachments} /> : null}
      {deliveryLabel ? (
        <div className="delivery" data-delivery={entry.delivery}>
          <span title={entry.why}>
            {entry.delivery === 'sending' ? <Sending since={entry.at} /> : deliveryLabel}
          </span>
          {entry.why && isUndecided ? <span className="muted">{visibleProse(entry.why)}</span> : null}
          {isUndecided ? (
            <>
              <Button look="link" onClick={() => decide('prompt.resend')}>
                Send again
              </Button>
              <Button look="link" onClick={() => decide('prompt.drop')}>
                Discard
              </Button>
            </>
          ) : null}
          {fault ? <span className="fault">{fault}</span> : null}
        </div>
      ) : (
        <CopyButton id={entry.id} text={entry.text} at={entry.at}>
          <RestoreHere entry={entry} />
          <ForkHere entry={entry} onFault={setFault} />
        </CopyButton>
      )}
      {entry.forgotten ? <MissingContext /> : null}
      {fault && !deliveryLabel ? <span className="fault">{fault}</span> : null}
    </div>
  );
}

/** Some agents acknowledge only when the model answers: by then the message has long been sent. */
const SENT_MS = 3_000;

function Sending({ since }: { since: number }) {
  return useNow('second') - since < SENT_MS ? 'Sending' : 'Sent, no reply yet';
}

/** Forks the session before this message and puts the message into the fork's composer (A6). */
function ForkHere({ entry, onFault }: { entry: UserEntry; onFault: (fault: string) => void }) {
  const client = useClient();
  const { session, channel } = useCard();
  const canFork = useSelected(
    channel.view,
    ({ conversation: { facts } }) => facts.canFork === 'anywhere' && facts.agentSession !== undefined,
  );
  if (!canFork) return null;
  const fork = () => {
    forkSession(client, session, entry).catch((error) => onFault(faultText(error)));
  };
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="Fork from here"
      title="Fork from here"
      onClick={fork}
    >
      <Icon icon={GitFork} size={14} />
    </button>
  );
}

const DELIVERY_LABELS: Readonly<Record<Delivery, string | undefined>> = {
  accepted: 'Sending',
  sending: 'Sending',
  delivered: undefined,
  doubted: 'May not have been delivered',
  dropped: 'Discarded',
  failed: 'Not delivered',
};

/** The delivery status under a message; undefined once it is delivered. */
function deliveryText(delivery: Delivery): string | undefined {
  return DELIVERY_LABELS[delivery];
}
