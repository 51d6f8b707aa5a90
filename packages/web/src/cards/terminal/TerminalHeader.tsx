/** The header of a terminal: its name, kind and actions. States that it is a full shell. */
import { type TerminalInfo, terminalLabel } from '@tugdeck/protocol/terminal/terminal';
import { Ellipsis, Globe, Search, SendToBack } from 'lucide-react';
import { useState } from 'react';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import type { CardParams } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { isActiveFrame, useCardFrame } from '../../kit/layout/card-frame.tsx';
import { useOfferedActions } from '../../kit/offered-actions.ts';
import { seenAddresses, serverOf, sessionFor, showPreview } from '../../kit/preview.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useTerminalActions } from './use-terminal-actions.ts';

/** Buttons for local web addresses; the Preview tab lists all. */
const MAX_PREVIEWS = 2;

export interface TerminalHeaderProps {
  open: OpenTerminal;
  params: CardParams;
  terminal: TerminalInfo | undefined;
  /** The last known state. */
  last: TerminalInfo | undefined;
  onSearch: () => void;
  close: () => void;
}

export function TerminalHeader({ open, params, terminal, last, onSearch, close }: TerminalHeaderProps) {
  const [isRenaming, setRenaming] = useState(false);
  const actions = useTerminalActions({ open, params, terminal, close, onRename: () => setRenaming(true) });
  useOfferedActions(actions.choices, useSelected(useCardFrame(), isActiveFrame));
  const client = useClient();
  const previews = useReadable(seenAddresses)[params.project ?? '']?.slice(0, MAX_PREVIEWS) ?? [];
  const label = last ? visibleText(terminalLabel(last)) : 'Terminal';
  return (
    <header className="pane-bar terminal-header">
      {isRenaming ? (
        <NameField
          name={terminal?.name ?? ''}
          onDone={(name) => {
            setRenaming(false);
            if (name !== undefined) open.connection.rename(name);
            open.screen.terminal.focus();
          }}
        />
      ) : (
        <h2 className="terminal-title truncate" title={label}>
          {label}
        </h2>
      )}
      <span className="terminal-kind truncate" title="Commands here run on this machine as you">
        {kindOf(last)}
      </span>
      <span className="terminal-header-space" />
      {actions.note ? (
        <span className="terminal-header-note truncate" role="status">
          {actions.note}
        </span>
      ) : null}
      {previews.map((address) => (
        <IconButton
          key={address}
          icon={Globe}
          label={`Preview ${visibleText(serverOf(address))}`}
          onClick={() =>
            showPreview({ place: params.project ?? '', address, session: sessionFor(client, params) })
          }
        />
      ))}
      <IconButton icon={SendToBack} label="Add last output to message" onClick={actions.attachHistory} />
      <IconButton icon={Search} label="Find in terminal" onClick={onSearch} />
      <Menu label="Terminal menu" title="More" className="icon-button" choices={actions.choices}>
        <Icon icon={Ellipsis} />
      </Menu>
      {actions.asksToEnd ? (
        <ConfirmDialog
          title="Kill this terminal?"
          text="Anything still running in it will be terminated."
          action="Kill"
          onConfirm={actions.end}
          onClose={actions.endConfirming}
        />
      ) : null}
    </header>
  );
}

const take = (input: HTMLInputElement | null) => {
  input?.focus();
  input?.select();
};

function kindOf(terminal: TerminalInfo | undefined): string {
  switch (terminal?.runs.type) {
    case 'session':
      return 'Agent’s own interface';
    case 'tmux':
      return 'tmux';
    default:
      return 'Shell';
  }
}

/** Enter or blur saves, Esc cancels; an empty name lets the program set the title again. */
function NameField({ name, onDone }: { name: string; onDone: (name: string | undefined) => void }) {
  return (
    <input
      ref={take}
      className="field terminal-name"
      aria-label="Terminal name"
      defaultValue={name}
      maxLength={100}
      onBlur={(event) => onDone(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        else if (event.key === 'Escape') onDone(undefined);
      }}
    />
  );
}
