import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { GitFork } from 'lucide-react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText, forkSession } from '../../kit/deck-actions.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';

/** Forks the session before this message and puts the message into the fork's composer (A6). */
export function ForkHere({ entry, onFault }: { entry: UserEntry; onFault: (fault: string) => void }) {
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
