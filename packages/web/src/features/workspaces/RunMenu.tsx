/** Run commands of a workspace in its header line (B22): start, show and stop them, and open their address. */
import { terminals as terminalsArea } from '@tugdeck/protocol/areas/terminals';
import type { TerminalInfo } from '@tugdeck/protocol/terminal/terminal';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { ChevronDown, Play } from 'lucide-react';
import { useState } from 'react';
import { openCard } from '../../kit/layout/open-card.ts';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { showFault } from '../../kit/undo.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import type { WorkspacesArea } from './used-area.ts';

export interface RunMenuProps {
  row: WorkspaceRow;
  area: WorkspacesArea;
  /** Names of the run commands. */
  names: readonly string[];
}

export function RunMenu({ row, area, names }: RunMenuProps) {
  const [pushed, setPushed] = useState<readonly TerminalInfo[]>();
  const { channel } = useArea(terminalsArea, { project: row.id }, (event) => {
    if (event.type === 'terminals') setPushed(event.terminals);
  });
  const { value } = useReply(channel, 'list', {});
  const terminals = pushed ?? value?.terminals ?? [];
  const [question, setQuestion] = useState<{ name: string; text: string }>();
  const terminalOf = (name: string) => `run-${row.id}-${name}`;
  const isRunning = (name: string) =>
    terminals.some(({ id, state }) => id === terminalOf(name) && state.type === 'running');
  const show = (name: string) => void openCard('terminal', { project: row.id, item: terminalOf(name) });
  const start = (name: string, confirmed?: true) => {
    area.channel
      ?.call('run', { workspace: row.id, name, ...(confirmed ? { confirmed } : {}) })
      .then(() => show(name))
      .catch((error: { code?: string; message: string }) => {
        if (error.code === 'NOT_CONFIRMED') setQuestion({ name, text: error.message });
        else showFault(error.message);
      });
  };
  const running = names.filter(isRunning);
  const address = row.port === undefined ? undefined : `http://localhost:${row.port}`;
  const choices: MenuChoice[] = [
    ...names.flatMap((name) =>
      isRunning(name)
        ? [
            { id: `show ${name}`, label: `Show ${visibleText(name)}`, onChoose: () => show(name) },
            {
              id: `stop ${name}`,
              label: `Stop ${visibleText(name)}`,
              onChoose: () => void area.act((opened) => opened.call('run.stop', { workspace: row.id, name })),
            },
          ]
        : [{ id: `run ${name}`, label: `Run ${visibleText(name)}`, onChoose: () => start(name) }],
    ),
    ...(running.length > 0 && address !== undefined
      ? [
          {
            id: ' open',
            label: `Open ${address}`,
            isApart: true,
            onChoose: () => void window.open(address, '_blank', 'noopener,noreferrer'),
          },
        ]
      : []),
    ...(running.length === 0
      ? [
          {
            id: ' ports',
            label: 'Use other ports',
            isApart: true,
            onChoose: () => void area.act((opened) => opened.call('ports', { workspace: row.id })),
          },
        ]
      : []),
  ];
  const label = running.length > 0 ? `Running: ${running.join(', ')}` : 'Run';
  return (
    <>
      <Menu label={visibleText(label)} className="start-menu" choices={choices}>
        <Icon icon={Play} size={12} />
        {visibleText(
          running.length > 0
            ? `${running.join(', ')}${row.port === undefined ? '' : ` :${row.port}`}`
            : 'Run',
        )}
        <Icon icon={ChevronDown} size={12} />
      </Menu>
      {question ? (
        <ConfirmDialog
          title={`Run ${visibleText(question.name)} here?`}
          text={visibleText(question.text)}
          action="Stop the other and run"
          onConfirm={() => start(question.name, true)}
          onClose={() => setQuestion(undefined)}
        />
      ) : null}
    </>
  );
}
