import { CirclePlus, House, Layers } from 'lucide-react';
import { InboxMark } from '../features/attention/InboxMark.tsx';
import { useAttentionItems } from '../features/attention/use-attention-items.ts';
import { runAction } from '../kit/action-runners.ts';
import { kindByName } from '../kit/card-kinds.ts';
import { layout } from '../kit/layout/dock.ts';
import { activeCard } from '../kit/layout/layout.ts';
import { showHome } from '../kit/route.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Icon } from '../ui/Icon.tsx';

export interface PhoneBarProps {
  isHome: boolean;
  onProjects: () => void;
  /** Closes the list of sessions, which doesn't cover the bar. */
  onLeave: () => void;
}

/** The bottom navigation bar on a phone (D8): Home, Sessions, New, Inbox. */
export function PhoneBar({ isHome, onProjects, onLeave }: PhoneBarProps) {
  const now = useReadable(layout);
  const kind = isHome ? undefined : activeCard(now)?.kind;
  const inbox = kindByName('inbox');
  const leadingTo = (show: () => void) => () => {
    onLeave();
    show();
  };
  const { count, needsUser } = useAttentionItems();
  return (
    <nav className="phone-bar" aria-label="Go to">
      <button type="button" aria-current={isHome} onClick={leadingTo(showHome)}>
        <Icon icon={House} size={20} />
        Home
      </button>
      <button type="button" onClick={onProjects}>
        <Icon icon={Layers} size={20} />
        Sessions
      </button>
      <button type="button" className="phone-bar-new" onClick={leadingTo(() => runAction('session.new'))}>
        <Icon icon={CirclePlus} size={20} />
        New
      </button>
      {inbox ? (
        <button
          type="button"
          aria-current={kind === 'inbox'}
          onClick={leadingTo(() => runAction('open.inbox'))}
        >
          <InboxMark count={count} needsUser={needsUser}>
            <Icon icon={inbox.icon} size={20} />
          </InboxMark>
          Inbox
          {count > 0 ? <span className="visually-hidden">, {unseen(count, needsUser)}</span> : null}
        </button>
      ) : null}
    </nav>
  );
}

function unseen(count: number, needsUser: boolean): string {
  if (!needsUser) return `${count} unseen`;
  return count === 1 ? '1 needs you' : `${count} need you`;
}
