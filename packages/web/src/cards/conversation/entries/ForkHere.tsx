import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { GitFork } from 'lucide-react';
import { useClient } from '../../../app/client-context.tsx';
import { faultText, forkSession } from '../../../app/deck-actions.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { useSelected } from '../../../ui/use-readable.ts';
import { useCard } from '../card-context.tsx';

/** A copy of the session up to before this message, which is put into its composer to be written anew (A6). */
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
