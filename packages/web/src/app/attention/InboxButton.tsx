import { Inbox } from 'lucide-react';
import { IconButton } from '../../ui/IconButton.tsx';
import { runAction } from '../actions/action-runners.ts';
import { InboxMark } from './InboxMark.tsx';
import { useWaiting } from './use-waiting.ts';

/** How much waits for the user, always at hand. */
export function InboxButton() {
  const { count, isAsking, label } = useWaiting();
  return (
    <InboxMark count={count} isAsking={isAsking}>
      <IconButton
        icon={Inbox}
        label={label}
        aria-keyshortcuts="Control+I Meta+I"
        onClick={() => runAction('open.inbox')}
      />
    </InboxMark>
  );
}
