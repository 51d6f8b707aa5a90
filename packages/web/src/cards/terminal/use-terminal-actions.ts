/** Actions for a terminal, shared by its menu and the command palette. */
import { newId } from '@tugdeck/client/new-id';
import { type TerminalInfo, type TerminalRuns, terminalLabel } from '@tugdeck/protocol/terminal/terminal';
import type { TmuxSessions } from '@tugdeck/protocol/terminal/terminal-feed';
import { useEffect, useMemo, useState } from 'react';
import { quoteText } from '../../features/prompt/add-to-prompt.ts';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import type { CardParams } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { visibleText } from '../../kit/visible-text.ts';

export interface TerminalActionsOptions {
  readonly open: OpenTerminal;
  readonly params: CardParams;
  readonly terminal: TerminalInfo | undefined;
  readonly close: () => void;
  readonly onRename: () => void;
}

export interface TerminalActions {
  readonly choices: readonly MenuChoice[];
  readonly attachHistory: () => void;
  readonly asksToEnd: boolean;
  readonly end: () => void;
  readonly endConfirming: () => void;
  readonly note: string | undefined;
}

const SIZE = { cols: 80, rows: 24 };

export function useTerminalActions(options: TerminalActionsOptions): TerminalActions {
  const { open, params, terminal, close, onRename } = options;
  const client = useClient();
  const [asksToEnd, setConfirming] = useState(false);
  const [note, setNote] = useState<string>();
  const others = useOtherTerminals(open, terminal);
  const tmux = useTmux(open, terminal);
  const isRunning = terminal?.state.type === 'running';

  const choices = useMemo(() => {
    const end = () => {
      open.connection.end().catch(() => undefined);
      close();
    };
    const { project } = params;
    const attach = (name: string) => {
      const item = newId();
      const runs: TerminalRuns = { type: 'tmux', name };
      open.connection.area
        .call('create', { terminal: item, runs, size: SIZE })
        .then(() => openCard('terminal', { ...(project === undefined ? {} : { project }), item }))
        .catch((error) => setNote(faultText(error)));
    };
    return [
      { id: 'terminal.rename', label: 'Rename terminal', onChoose: onRename },
      {
        id: 'terminal.new',
        label: 'New terminal',
        onChoose: () => void openCard('terminal', project === undefined ? {} : { project }),
      },
      ...others.map((other) => ({
        id: `terminal.show.${other.id}`,
        label: `Show ${visibleText(terminalLabel(other))}`,
        ...(other.state.type === 'exited' ? { detail: 'exited' } : {}),
        onChoose: () => void openCard('terminal', cardOf(other)),
      })),
      ...tmux.sessions.map(({ name, windows }) => ({
        id: `terminal.tmux.${name}`,
        label: `Attach to tmux ${visibleText(name)}`,
        detail: windows === 1 ? '1 window' : `${windows} windows`,
        onChoose: () => attach(name),
      })),
      {
        id: 'terminal.end',
        label: 'Kill terminal',
        detail: 'Closing the tab keeps it running',
        onChoose: () => (isRunning ? setConfirming(true) : end()),
      },
    ] satisfies MenuChoice[];
  }, [open, params, others, tmux, isRunning, close, onRename]);

  return {
    choices,
    attachHistory() {
      const output = open.screen.lastOutput();
      if (output === '') setNote('No output to add yet');
      else if (params.project === undefined) setNote('Start a session in this project first');
      else {
        quoteText(client, params.project, output);
        setNote(undefined);
      }
    },
    asksToEnd,
    end: () => {
      open.connection.end().catch(() => undefined);
      close();
    },
    endConfirming: () => setConfirming(false),
    note,
  };
}

function cardOf({ id, project, runs }: TerminalInfo): CardParams {
  return { project, item: id, ...(runs.type === 'session' ? { session: runs.session } : {}) };
}

/** The project's other terminals, so that one whose card was closed can be found. */
function useOtherTerminals(open: OpenTerminal, terminal: TerminalInfo | undefined): readonly TerminalInfo[] {
  const [all, setAll] = useState<readonly TerminalInfo[]>([]);
  const id = terminal?.id;
  useEffect(() => {
    if (id === undefined) return;
    const unlisten = open.connection.area.onEvent((event) => {
      if (event.type === 'terminals') setAll(event.terminals);
    });
    open.connection.area.call('list').then(
      ({ terminals }) => setAll(terminals),
      () => undefined,
    );
    return unlisten;
  }, [open, id]);
  return useMemo(() => all.filter((one) => one.id !== id), [all, id]);
}

const NONE: TmuxSessions = { available: false, sessions: [] };

function useTmux(open: OpenTerminal, terminal: TerminalInfo | undefined): TmuxSessions {
  const [tmux, setTmux] = useState(NONE);
  const id = terminal?.id;
  useEffect(() => {
    if (id === undefined) return;
    open.connection.area.call('tmux').then(setTmux, () => undefined);
  }, [open, id]);
  return tmux;
}
