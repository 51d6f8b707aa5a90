/** The terminal card (W1): a full shell in the project, or an agent's own interface (A41). */
import { terminalLabel } from '@tugdeck/protocol/terminal/terminal';
import { useEffect, useState } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import { TOUCH, useMedia } from '../../kit/use-media.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { KeyRow } from './KeyRow.tsx';
import { SearchBar } from './SearchBar.tsx';
import './terminal.css';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import type { TerminalStatus } from '../../features/terminal/terminal-connection.ts';
import { runsOf, useTerminal } from '../../features/terminal/use-terminal.ts';
import { TerminalHeader } from './TerminalHeader.tsx';
import { TerminalNotice } from './TerminalNotice.tsx';
import { usePathDrop } from './use-path-drop.ts';

/** Characters shown of text that a program wants to copy. */
const MAX_OFFERED = 80;

export default function TerminalCard({ params, isVisible, setTitle, setParams, close }: CardProps) {
  const [isSearching, setSearching] = useState(false);
  const isTouch = useMedia(TOUCH);
  const [wanted, setWanted] = useState<string>();
  // Keeps the text on screen: a later request does not replace it, so the user copies what they read.
  const offer = (text: string) => setWanted((shown) => shown ?? text);
  const callbacks = { onSearch: () => setSearching(true), onCopyWanted: offer };
  const { host, open } = useTerminal(params, isVisible, setParams, callbacks);
  const drop = usePathDrop(open, params.project);
  const endSearch = () => {
    setSearching(false);
    open?.screen.find('', 'next');
    open?.screen.terminal.focus();
  };
  const endOffer = () => {
    setWanted(undefined);
    open?.screen.terminal.focus();
  };
  return (
    <fieldset className="pane terminal-card" aria-label="Terminal" data-own-find>
      {open ? (
        <TerminalTop
          open={open}
          params={params}
          setTitle={setTitle}
          close={close}
          onSearch={callbacks.onSearch}
        />
      ) : null}
      {open && isSearching ? <SearchBar open={open} onClose={endSearch} /> : null}
      {wanted === undefined ? null : <CopyOffer text={wanted} onDone={endOffer} />}
      <div className="terminal-room" {...drop}>
        <div ref={host} className="terminal-host" />
      </div>
      {open && isTouch ? <KeyRow open={open} /> : null}
      {open ? (
        <TerminalBottom
          open={open}
          params={params}
          onRecreate={() => open.connection.recreate(runsOf(params))}
          onBack={() => {
            open.connection.end().catch(() => undefined);
            if (params.session !== undefined) openCard('conversation', { session: params.session });
            close();
          }}
          close={close}
        />
      ) : null}
    </fieldset>
  );
}

interface TerminalTopProps {
  open: OpenTerminal;
  params: CardProps['params'];
  setTitle: CardProps['setTitle'];
  close: () => void;
  onSearch: () => void;
}

function TerminalTop({ open, params, setTitle, close, onSearch }: TerminalTopProps) {
  const status = useReadable(open.connection.status);
  const label = labelOf(status);
  const terminal = status.type === 'here' ? status.terminal : undefined;
  // Keeps the last known terminal while the server cannot be asked.
  const [last, setLast] = useState(terminal);
  if (terminal && terminal !== last) setLast(terminal);
  useEffect(() => {
    if (label !== undefined) setTitle(label);
  }, [label, setTitle]);
  return (
    <TerminalHeader
      open={open}
      params={params}
      terminal={terminal}
      last={terminal ?? last}
      onSearch={onSearch}
      close={close}
    />
  );
}

interface TerminalBottomProps {
  open: OpenTerminal;
  params: CardProps['params'];
  onRecreate: () => void;
  onBack: () => void;
  close: () => void;
}

function TerminalBottom({ open, params, onRecreate, onBack, close }: TerminalBottomProps) {
  const status = useReadable(open.connection.status);
  const isFull = useReadable(open.connection.isInputFull);
  return (
    <TerminalNotice
      status={status}
      isInputFull={isFull}
      isAgent={params.session !== undefined}
      onInputFullSeen={() => open.connection.isInputFull.set(false)}
      onRestart={() => open.connection.restart()}
      onRecreate={onRecreate}
      onBack={onBack}
      onClose={() => {
        open.connection.end().catch(() => undefined);
        close();
      }}
    />
  );
}

function CopyOffer({ text, onDone }: { text: string; onDone: () => void }) {
  return (
    <div className="terminal-notice" role="alert">
      <span className="terminal-notice-text">
        A program wants to copy {text.length} characters to the clipboard:{' '}
        <code>{visibleExact(text.slice(0, MAX_OFFERED))}</code>
        {text.length > MAX_OFFERED ? '…' : ''}
      </span>
      <button
        type="button"
        className="button"
        onClick={() => {
          void navigator.clipboard.writeText(text);
          onDone();
        }}
      >
        Copy
      </button>
      <button type="button" className="button" data-look="quiet" onClick={onDone}>
        Ignore
      </button>
    </div>
  );
}

function labelOf(status: TerminalStatus): string | undefined {
  return status.type === 'here' ? visibleText(terminalLabel(status.terminal)) : undefined;
}
