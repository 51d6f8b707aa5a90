import { FolderTree, House, MessageSquare } from 'lucide-react';
import { InboxMark } from '../features/attention/InboxMark.tsx';
import { useAttentionItems } from '../features/attention/use-attention-items.ts';
import { runAction } from '../kit/action-runners.ts';
import { kindByName } from '../kit/card-kinds.ts';
import { useClient } from '../kit/client-context.tsx';
import { layout } from '../kit/layout/dock.ts';
import { activeCard, type Layout } from '../kit/layout/layout.ts';
import { openCard, showCard } from '../kit/layout/open-card.ts';
import { atHome, sessionOfHash, showHome } from '../kit/route.ts';
import { isPanelOpen } from '../kit/session-panel.ts';
import { useReadable } from '../kit/use-readable.ts';
import { Icon } from '../ui/Icon.tsx';
import { currentProject } from './dock/picker-rows.ts';

/** The bottom navigation bar on a phone. */
export function PhoneBar({ onProjects }: { onProjects: () => void }) {
  const client = useClient();
  const now = useReadable(layout);
  const isHome = useReadable(atHome);
  const kind = isHome ? undefined : activeCard(now)?.kind;
  const terminal = kindByName('terminal');
  const inbox = kindByName('inbox');
  const talk = lastConversation(now);
  const { count, needsUser } = useAttentionItems();
  const openTerminal = () => {
    const deck = client.deck.get();
    const project = deck && currentProject(deck)?.id;
    const open = now.cards.findLast((card) => card.kind === 'terminal');
    if (open) showCard(open.id);
    else if (project !== undefined) openCard('terminal', { project });
  };
  return (
    <nav className="phone-bar" aria-label="Go to">
      <button type="button" aria-current={isHome} onClick={showHome}>
        <Icon icon={House} size={20} />
        Home
      </button>
      <button type="button" onClick={onProjects}>
        <Icon icon={FolderTree} size={20} />
        Sessions
      </button>
      <button
        type="button"
        disabled={talk === undefined}
        aria-current={kind === 'conversation'}
        onClick={() => {
          isPanelOpen.set(false);
          if (talk !== undefined) showCard(talk);
        }}
      >
        <Icon icon={MessageSquare} size={20} />
        Conversation
      </button>
      {terminal ? (
        <button type="button" aria-current={kind === 'terminal'} onClick={openTerminal}>
          <Icon icon={terminal.icon} size={20} />
          Terminal
        </button>
      ) : null}
      {inbox ? (
        <button type="button" aria-current={kind === 'inbox'} onClick={() => runAction('open.inbox')}>
          <InboxMark count={count} needsUser={needsUser}>
            <Icon icon={inbox.icon} size={20} />
          </InboxMark>
          Inbox
          {count > 0 ? <span className="visually-hidden">, {count} waiting</span> : null}
        </button>
      ) : null}
    </nav>
  );
}

/** The URL names the session even while another card is in front. */
function lastConversation(now: Layout): string | undefined {
  const talks = now.cards.filter((card) => card.kind === 'conversation');
  const named = sessionOfHash(location.hash);
  return (talks.find(({ params }) => params.session === named) ?? talks.at(-1))?.id;
}
