import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import { isAside } from '@tugdeck/protocol/conversation/restore-state';
import { History } from 'lucide-react';
import { useSelected } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { previewRestore } from './start-restore.ts';

/** At every message of the user, for every agent: files, conversation or both, to before it (T11). */
export function RestoreHere({ entry }: { entry: UserEntry }) {
  const card = useCard();
  const isOffered = useSelected(
    card.channel.view,
    ({ conversation }) => conversation.turn === null && !isAside(conversation, entry.seq),
  );
  if (!isOffered) return null;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="Restore to here"
      title="Restore files and conversation to before this message"
      onClick={() => previewRestore(card, entry.id)}
    >
      <Icon icon={History} size={14} />
    </button>
  );
}
