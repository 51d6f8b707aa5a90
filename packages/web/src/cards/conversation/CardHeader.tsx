/** The card's header (C14): title, agent settings, usage and the menu. */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Ellipsis } from 'lucide-react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { isActiveFrame, useCardFrame } from '../../kit/layout/card-frame.tsx';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useOfferedActions } from '../../kit/offered-actions.ts';
import { titleOf } from '../../kit/projects.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { agentStateText, agentStatusText } from './agent-status.ts';
import { ReadingTools } from './find/ReadingTools.tsx';
import { ParentLink } from './header/ParentLink.tsx';
import { Pickers } from './header/Pickers.tsx';
import { UsageGauge } from './header/UsageGauge.tsx';
import { useCardActions } from './header/use-card-actions.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);
const TitleField = lazyComponent(() => import('./header/TitleField.tsx').then((part) => part.TitleField));
const SessionInfo = lazyComponent(() => import('./info/SessionInfo.tsx').then((part) => part.SessionInfo));

export interface CardHeaderProps {
  row: SessionRow | undefined;
  conversation: Conversation;
}

export function CardHeader({ row, conversation }: CardHeaderProps) {
  const { session } = useCard();
  const { facts, usage, agent } = conversation;
  const title = row ? titleOf(row) : (facts.agentTitle ?? 'Session');
  const actions = useCardActions(title, conversation);
  useOfferedActions(actions.choices, useSelected(useCardFrame(), isActiveFrame));
  const words = agentStatusText(agent);
  return (
    <header className="card-header">
      {actions.isRenaming ? (
        <TitleField session={session} title={title} onDone={actions.endRenaming} />
      ) : (
        <h1 className="card-title truncate" title={title}>
          {title}
        </h1>
      )}
      {row?.parent === undefined ? null : <ParentLink parent={row.parent} />}
      <span className="card-agent truncate" title={visibleText(agentStateText(agent))}>
        <span
          className="agent-dot"
          data-state={agent.state}
          role="img"
          aria-label={visibleText(agentStateText(agent))}
        />
        {facts.agentLabel ?? row?.agent}
      </span>
      {words ? <span className="card-agent-state">{words}</span> : null}
      <Pickers conversation={conversation} />
      <span className="card-header-space" />
      {actions.note ? (
        <span className="card-header-note truncate" role="status">
          {actions.note}
        </span>
      ) : null}
      <UsageGauge usage={usage} limits={facts.limits} />
      <ReadingTools />
      <Menu label="Session actions" title="More" className="icon-button" choices={actions.choices}>
        <Icon icon={Ellipsis} />
      </Menu>
      {actions.isInfoOpen ? <SessionInfo conversation={conversation} onClose={actions.closeInfo} /> : null}
      {actions.isConfirmingArchive ? (
        <ConfirmDialog
          title="Still working"
          text="This session is still working. Archived sessions keep running."
          action="Archive anyway"
          onConfirm={actions.archive}
          onClose={actions.endConfirming}
        />
      ) : null}
    </header>
  );
}
