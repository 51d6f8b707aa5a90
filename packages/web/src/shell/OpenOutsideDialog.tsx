/** Opens a file or folder of a project in an editor or the file manager of the machine (W8), or copies its path. */
import { editors } from '@tugdeck/protocol/areas/editors';
import { type KeyboardEvent, useState } from 'react';
import { shellQuote } from '../features/terminal/shell-quote.ts';
import { runningTerminal, typeInTerminal } from '../features/terminal/type-in-terminal.ts';
import { useClient } from '../kit/client-context.tsx';
import { folderOf } from '../kit/place.ts';
import { isOnMachine } from '../kit/preview.ts';
import { useArea } from '../kit/use-area.ts';
import { useSelected } from '../kit/use-readable.ts';
import { visiblePath, visibleText } from '../kit/visible-text.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import './small-dialogs.css';

export interface OpenOutsideDialogProps {
  /** A project or workspace. */
  place: string;
  /** Relative to it; empty is its folder. */
  path: string;
  line?: number | undefined;
  onClose: () => void;
}

interface Row {
  readonly id: string;
  readonly label: string;
  readonly run: () => Promise<unknown>;
}

export function OpenOutsideDialog({ place, path, line, onClose }: OpenOutsideDialogProps) {
  const client = useClient();
  const folder = useSelected(client.deck, (deck) => folderOf(deck, place)?.path ?? '');
  const whole = path === '' ? folder : `${folder}/${path}`;
  // Windows open on the server's machine; a user of another one wouldn't see them.
  const { state, channel, fault } = useArea(editors, isOnMachine() ? { project: place } : undefined);
  const [isCopied, setCopied] = useState(false);
  const [failure, setFailure] = useState<string>();
  const rows: Row[] = [
    ...(state?.editors ?? []).map(({ id, label }) => ({
      id,
      label,
      run: async () => channel?.call('open', { editor: id, path, ...(line === undefined ? {} : { line }) }),
    })),
    ...(state?.terminalEditor === undefined
      ? []
      : [
          {
            id: 'terminal',
            label: `${visibleText(state.terminalEditor)} in a terminal`,
            run: async () => {
              const item = await runningTerminal(client, place);
              // Unquoted: it may have arguments.
              void typeInTerminal(place, item, `\${VISUAL:-$EDITOR} ${shellQuote(whole)}`);
            },
          },
        ]),
    ...(state?.canReveal
      ? [{ id: 'reveal', label: 'File manager', run: async () => channel?.call('reveal', { path }) }]
      : []),
  ];
  const choose = (row: Row) => {
    row.run().then(onClose, (error: Error) => setFailure(error.message));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    items.at(step % items.length)?.focus();
  };
  return (
    <Dialog title="Open outside Tugdeck" onClose={onClose}>
      <p className="open-outside-path">
        <code>{visiblePath(line === undefined ? whole : `${whole}:${line}`)}</code>
      </p>
      <ul className="card-picker" onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <li key={row.id}>
            <button type="button" className="card-picker-row open-outside-row" onClick={() => choose(row)}>
              <span className="truncate">{row.label}</span>
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            className="card-picker-row open-outside-row"
            onClick={() => void navigator.clipboard.writeText(whole).then(() => setCopied(true))}
          >
            <span className="truncate">{isCopied ? 'Path copied' : 'Copy path'}</span>
          </button>
        </li>
      </ul>
      {state && state.editors.length === 0 ? (
        <p className="dialog-note">No editor found on the PATH (VS Code, Cursor, Zed or a JetBrains IDE)</p>
      ) : null}
      {(failure ?? fault) === undefined ? null : (
        <p className="fault" role="alert">
          {failure ?? fault}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
