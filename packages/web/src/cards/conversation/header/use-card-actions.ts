/** Actions for a card's session, shared by its menu and the command palette. */
import type { Client } from '@tugdeck/client/client';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useClient } from '../../../kit/client-context.tsx';
import { closeCard } from '../../../kit/close-card.ts';
import { faultText, forkSession } from '../../../kit/deck-actions.ts';
import type { MenuChoice } from '../../../kit/offered-actions.ts';
import { pinned, togglePin } from '../../../kit/pinned.ts';
import { placeOfSession } from '../../../kit/place.ts';
import { openShellDialog } from '../../../kit/shell-dialog.ts';
import { useSelected } from '../../../kit/use-readable.ts';
import type { ExportForm } from './export-conversation.ts';

export interface CardActions {
  readonly choices: readonly MenuChoice[];
  readonly isRenaming: boolean;
  readonly rename: () => void;
  readonly endRenaming: () => void;
  /** Archiving was chosen while a turn runs and has to be confirmed (S5). */
  readonly isConfirmingArchive: boolean;
  readonly archive: () => void;
  readonly endConfirming: () => void;
  readonly isInfoOpen: boolean;
  readonly closeInfo: () => void;
  readonly note: string | undefined;
  /** Shows why an action failed. */
  readonly fail: (error: unknown) => void;
}

export function useCardActions(title: string, conversation: Conversation): CardActions {
  const client = useClient();
  const { session, channel } = useCard();
  const [isRenaming, setRenaming] = useState(false);
  const [isConfirmingArchive, setConfirming] = useState(false);
  const [isInfoOpen, setInfoOpen] = useState(false);
  const [note, setNote] = useState<string>();
  const { agent, turn, facts } = conversation;
  const isPinned = useSelected(pinned, (pins) => pins.includes(session));
  const isDown = agent.state === 'idle' || agent.state === 'disconnected' || agent.state === 'failed';

  const sendCommand = (kind: 'agent.restart' | 'agent.stop') => () => {
    setNote(undefined);
    channel.send({ kind }).catch((error) => setNote(faultText(error)));
  };
  const archive = () => {
    closeCard(session);
    client
      .request({ type: 'session.archive', session, archived: true })
      .catch((error) => console.warn(faultText(error)));
  };
  const exportAs = (form: ExportForm) => async () => {
    setNote('Exporting…');
    try {
      const { exportConversation } = await import('./export-conversation.ts');
      await exportConversation(channel, title, form);
      setNote(undefined);
    } catch (error) {
      setNote(faultText(error));
    }
  };
  const fork = () => {
    setNote(undefined);
    forkSession(client, session).catch((error) => setNote(faultText(error)));
  };
  const openInTerminal = () => {
    setNote(undefined);
    import('./open-agent-terminal.ts')
      .then(({ openAgentTerminal }) => openAgentTerminal(client, session))
      .catch((error) => setNote(faultText(error)));
  };
  const generate = () => {
    setNote('Generating title…');
    import('./generate-title.ts')
      .then(({ generateTitle }) => generateTitle(client, channel))
      .then(() => setNote(undefined))
      .catch((error) => setNote(faultText(error)));
  };
  const choices: MenuChoice[] = [
    { id: 'info', label: 'Session info', onChoose: () => setInfoOpen(true) },
    { id: 'rename', label: 'Rename', onChoose: () => setRenaming(true) },
    { id: 'pin', label: isPinned ? 'Unpin' : 'Pin', onChoose: () => togglePin(session) },
    ...(facts.controls?.includes('title')
      ? [{ id: 'title', label: 'Generate title', onChoose: generate }]
      : []),
    ...(facts.canFork && facts.agentSession
      ? [
          {
            id: 'fork',
            label: 'Fork',
            detail: 'Continue in a copy; this one stays unchanged',
            onChoose: fork,
          },
        ]
      : []),
    ...(hasAgentTerminal(client, session)
      ? [
          {
            id: 'own-terminal',
            label: `Open ${facts.agentLabel ?? 'agent'} in a terminal`,
            detail: 'This view pauses until you exit it',
            onChoose: openInTerminal,
          },
        ]
      : []),
    {
      id: 'outside',
      label: 'Open folder outside Tugdeck…',
      detail: 'Editor, file manager, or copy its path',
      onChoose: () => {
        const place = placeOfSession(client.deck.get(), session);
        if (place !== undefined) openShellDialog({ kind: 'outside', place, path: '' });
      },
    },
    { id: 'tags', label: 'Tags…', onChoose: () => openShellDialog({ kind: 'tags', session }) },
    { id: 'markdown', label: 'Export as Markdown', onChoose: exportAs('markdown') },
    { id: 'html', label: 'Export as a web page', onChoose: exportAs('html') },
    { id: 'json', label: 'Export as JSON', onChoose: exportAs('json') },
    { id: 'restart', label: 'Restart agent', onChoose: sendCommand('agent.restart') },
    ...(isDown ? [] : [{ id: 'stop', label: 'Stop agent', onChoose: sendCommand('agent.stop') }]),
    {
      id: 'archive',
      label: 'Archive',
      detail: 'Hide it from the list; the command palette finds it',
      onChoose: () => (turn ? setConfirming(true) : archive()),
    },
  ];
  return {
    choices,
    isRenaming,
    rename: () => setRenaming(true),
    endRenaming: () => setRenaming(false),
    isConfirmingArchive,
    archive,
    endConfirming: () => setConfirming(false),
    isInfoOpen,
    closeInfo: () => setInfoOpen(false),
    note,
    fail: (error) => setNote(faultText(error)),
  };
}

/** Whether the agent has its own terminal interface. */
function hasAgentTerminal(client: Client, session: string): boolean {
  const deck = client.deck.get();
  const row = deck?.sessions.find(({ id }) => id === session);
  return deck?.agents.some(({ name, ownTerminal }) => name === row?.agent && ownTerminal) ?? false;
}
