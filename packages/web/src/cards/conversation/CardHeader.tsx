/** The card's header (C14): title, agent and the menu. Settings and usage are in the composer's foot. */
import type { AgentStatus } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Check, ClipboardCopy, Ellipsis, GitFork, Search } from 'lucide-react';
import { useState } from 'react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { useClient } from '../../kit/client-context.tsx';
import { isActiveFrame, useCardFrame } from '../../kit/layout/card-frame.tsx';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useOfferedActions } from '../../kit/offered-actions.ts';
import { InPhoneTitle } from '../../kit/phone-title.tsx';
import { titleOf } from '../../kit/projects.ts';
import { hashOfSession } from '../../kit/route.ts';
import { useAgent } from '../../kit/use-agent.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { sessionChoices } from './header/session-choices.ts';
import { useCardActions } from './header/use-card-actions.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);
const TitleField = lazyComponent(() => import('./header/TitleField.tsx').then((part) => part.TitleField));
const SessionInfo = lazyComponent(() => import('./info/SessionInfo.tsx').then((part) => part.SessionInfo));

interface CardHeaderProps {
  row: SessionRow | undefined;
  conversation: Conversation;
}

export function CardHeader({ row, conversation }: CardHeaderProps) {
  const { session, channel } = useCard();
  const { facts, agent } = conversation;
  const title = row ? titleOf(row) : (facts.agentTitle ?? 'Session');
  const actions = useCardActions(title, conversation);
  const more = sessionChoices(conversation, channel.send.bind(channel), actions.fail);
  useOfferedActions([...actions.choices, ...more], useSelected(useCardFrame(), isActiveFrame));
  const words = agentStatusText(agent);
  const known = useAgent(row?.agent);
  return (
    <header className="card-header">
      {actions.isRenaming ? (
        <TitleField session={session} title={title} onDone={actions.endRenaming} />
      ) : (
        <h1
          className="card-title truncate"
          title={title}
          style={{ '--title-length': title.length } as React.CSSProperties}
          onDoubleClick={actions.rename}
        >
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
        {facts.agentLabel ?? known?.label ?? row?.agent}
      </span>
      {words ? <span className="card-agent-state">{words}</span> : null}
      <span className="card-header-space" />
      {actions.note ? (
        <span className="card-header-note truncate" role="status">
          {actions.note}
        </span>
      ) : null}
      <InPhoneTitle>
        <ReadingTools />
        <Menu label="Session actions" title="More" className="icon-button" choices={actions.choices}>
          <Icon icon={Ellipsis} />
        </Menu>
      </InPhoneTitle>
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

const UNUSUAL_STATES: Readonly<Record<AgentStatus['state'], string | undefined>> = {
  idle: undefined,
  starting: 'Starting',
  connected: undefined,
  disconnected: 'Disconnected',
  reconnecting: 'Reconnecting',
  failed: 'Failed',
};

/** The agent's status text; undefined in the normal state. */
function agentStatusText(agent: AgentStatus): string | undefined {
  return UNUSUAL_STATES[agent.state];
}

const AGENT_STATES: Readonly<Record<AgentStatus['state'], string>> = {
  idle: 'Agent: idle',
  starting: 'Agent: starting',
  connected: 'Agent: connected',
  disconnected: 'Agent: disconnected',
  reconnecting: 'Agent: reconnecting',
  failed: 'Agent: failed',
};

/** The agent's state, for the dot beside its name (A24). */
function agentStateText({ state, reason }: AgentStatus): string {
  return reason === undefined || state === 'connected'
    ? AGENT_STATES[state]
    : `${AGENT_STATES[state]}. ${reason}`;
}

/** Links a fork to the session it was copied from. */
function ParentLink({ parent }: { parent: string }) {
  const row = useSelected(useClient().deck, (deck) => deck?.sessions.find(({ id }) => id === parent));
  if (!row) return null;
  const label = `Forked from ${titleOf(row)}`;
  return (
    <a className="icon-button" href={hashOfSession(parent)} aria-label={label} title={label}>
      <Icon icon={GitFork} />
    </a>
  );
}

const Outline = lazyComponent(() => import('./find/Outline.tsx').then((part) => part.Outline));

/** Header buttons: find, outline, copy all. */
function ReadingTools() {
  const { reading } = useCard();
  const [copied, setCopied] = useState<'done' | 'failed'>();
  const copy = () => {
    const show = (outcome: 'done' | 'failed') => {
      setCopied(outcome);
      setTimeout(() => setCopied(undefined), 2_000);
    };
    reading.copyAll().then(
      () => show('done'),
      () => show('failed'),
    );
  };
  return (
    <span className="reading-tools">
      <IconButton icon={Search} label="Find in conversation" onClick={() => reading.setFinding(true)} />
      <Outline />
      <IconButton
        className="copy-all"
        icon={copied === 'done' ? Check : ClipboardCopy}
        label={copied === 'failed' ? 'Couldn’t copy' : 'Copy conversation'}
        onClick={copy}
      />
    </span>
  );
}
