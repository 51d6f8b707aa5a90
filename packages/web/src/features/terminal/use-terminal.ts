/** Connects a card's element, its screen and its connection while the card is mounted. */
import { newId } from '@tugdeck/client/new-id';
import type { TerminalRuns } from '@tugdeck/protocol/terminal/terminal';
import { useEffect, useRef, useState } from 'react';
import type { CardParams } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { noteAddresses, sessionFor, showPreview } from '../../kit/preview.ts';
import { type OpenTerminal, registerTerminal } from './rendered-terminals.ts';
import { TerminalConnection } from './terminal-connection.ts';
import { TerminalScreen } from './terminal-screen.ts';

export interface TerminalCallbacks {
  readonly onSearch: () => void;
  readonly onCopyWanted: (text: string) => void;
}

/** The program to run when a card's terminal has to be recreated. */
export function runsOf({ session }: CardParams): TerminalRuns {
  return session === undefined ? { type: 'shell' } : { type: 'session', session };
}

export function useTerminal(
  params: CardParams,
  isVisible: boolean,
  setParams: (params: CardParams) => void,
  callbacks: TerminalCallbacks,
): { readonly host: React.RefObject<HTMLDivElement | null>; readonly open: OpenTerminal | undefined } {
  const client = useClient();
  const host = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenTerminal>();
  // A card without a terminal id was just opened for a new terminal.
  const [made] = useState(() => (params.item === undefined ? newId() : undefined));
  const terminal = params.item ?? made;
  const { project } = params;
  const latest = useRef({ params, setParams, callbacks });
  latest.current = { params, setParams, callbacks };

  useEffect(() => {
    if (!host.current || project === undefined || terminal === undefined) return;
    const now = latest.current;
    const screen = new TerminalScreen(host.current, {
      typed: (data) => connection.type(data),
      copyWanted: (text) => latest.current.callbacks.onCopyWanted(text),
      search: () => latest.current.callbacks.onSearch(),
      historyWanted: () => connection.loadHistory(),
      addressesSeen: (addresses) => noteAddresses(project, addresses),
      previewWanted: (address) =>
        showPreview({ place: project, address, session: sessionFor(client, latest.current.params) }),
    });
    const toCreate = now.params.item === undefined ? runsOf(now.params) : undefined;
    const connection: TerminalConnection = new TerminalConnection(
      client,
      screen,
      project,
      terminal,
      toCreate,
    );
    const opened = { screen, connection };
    setOpen(opened);
    const unregister = registerTerminal(terminal, opened);
    if (now.params.item === undefined) now.setParams({ ...now.params, item: terminal });
    return () => {
      unregister();
      connection.close();
      screen.dispose();
      setOpen(undefined);
    };
  }, [client, project, terminal]);

  useEffect(() => {
    const element = host.current;
    if (!open || !element) return;
    open.screen.setVisible(isVisible);
    if (!isVisible) return;
    open.connection.fit();
    // Dragging a sash resizes many times per frame; the program gets at most one size per frame.
    let frame = 0;
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => open.connection.fit());
    });
    observer.observe(element);
    const onFocus = () => open.connection.fit();
    element.addEventListener('focusin', onFocus);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('focusin', onFocus);
    };
  }, [open, isVisible]);

  return { host, open };
}
