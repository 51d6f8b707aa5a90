import { Inbox } from 'lucide-react';
import { InboxMark } from '../../features/attention/InboxMark.tsx';
import { useAttentionItems } from '../../features/attention/use-attention-items.ts';
import { runAction } from '../../kit/action-runners.ts';
import { IconButton } from '../../ui/IconButton.tsx';

/** Button with the number of sessions that need the user. */
export function InboxButton() {
  const { count, needsUser, label } = useAttentionItems();
  return (
    <InboxMark count={count} needsUser={needsUser}>
      <IconButton
        icon={Inbox}
        label={label}
        aria-keyshortcuts="Control+I Meta+I"
        onClick={() => runAction('open.inbox')}
      />
    </InboxMark>
  );
}
