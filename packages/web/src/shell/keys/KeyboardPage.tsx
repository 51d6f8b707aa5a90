/** All keyboard shortcuts (D4): press a key to assign it, clear it, or reset it to the default. */
import { RotateCcw, X } from 'lucide-react';
import { Fragment, type KeyboardEvent, useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { keyNames } from '../../kit/keys/key-names.ts';
import { KEY_TABLE, type KeyRow, type KeyScope, SCOPES } from '../../kit/keys/key-table.ts';
import { conflictsOf, keymap, reservedReason } from '../../kit/keys/keymap.ts';
import { pressOf } from '../../kit/keys/press.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { keyChoices, setKey } from './sync-keys.ts';
import './keys.css';

export function KeyboardPage({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const map = useReadable(keymap);
  const choices = useReadable(keyChoices);
  const serverKeys = useReadable(client.keys);
  const [waiting, setWaiting] = useState<string>();
  const [note, setNote] = useState<{ id: string; text: string }>();

  const choose = (row: KeyRow, press: string | null | undefined) => {
    setWaiting(undefined);
    const clash = typeof press === 'string' ? conflictsOf(row.id, press, map) : [];
    const refusal = typeof press === 'string' ? reservedReason(row.scope, press) : undefined;
    const taken = clash.map(({ does }) => `“${does}”`).join(', ');
    const why = refusal ?? (taken && `${press} is already used by ${taken}. Change that shortcut first.`);
    if (why) return setNote({ id: row.id, text: why });
    setNote(undefined);
    setKey(client, row.id, press).catch((error) => setNote({ id: row.id, text: faultText(error) }));
  };
  const onKeyDown = (event: KeyboardEvent, row: KeyRow) => {
    if (waiting !== row.id || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return setWaiting(undefined);
    const press = pressOf(event);
    if (press !== undefined) choose(row, press);
  };
  const line = (row: KeyRow) => {
    const press = map.get(row.id);
    const isChosen = Object.hasOwn(choices, row.id);
    return (
      <div key={row.id} className="key-row">
        <span>{row.does}</span>
        {row.isFixed ? (
          <span className="key-fixed">
            <Keys press={press} />
          </span>
        ) : (
          <button
            type="button"
            className="key-choose"
            aria-label={`Change shortcut: ${row.does}`}
            aria-pressed={waiting === row.id}
            onClick={() => setWaiting(waiting === row.id ? undefined : row.id)}
            onKeyDown={(event) => onKeyDown(event, row)}
            onBlur={() => setWaiting(undefined)}
          >
            {waiting === row.id ? 'Press keys…' : <Keys press={press} />}
          </button>
        )}
        <span className="key-more">
          {!row.isFixed && press !== undefined ? (
            <IconButton icon={X} label={`Remove shortcut: ${row.does}`} onClick={() => choose(row, null)} />
          ) : null}
          {isChosen && !row.isFixed ? (
            <IconButton
              icon={RotateCcw}
              label={`Reset shortcut: ${row.does}`}
              onClick={() => choose(row, undefined)}
            />
          ) : null}
        </span>
        {note?.id === row.id ? (
          <p className="key-note" role="alert">
            {note.text}
          </p>
        ) : null}
      </div>
    );
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <p className="dialog-note">
        Click a shortcut to change it. Changes are saved in keys.json in the data directory.
      </p>
      {serverKeys?.fault ? (
        <p className="fault" role="alert">
          {serverKeys.fault}
        </p>
      ) : null}
      <div className="keys-page">
        {(Object.keys(SCOPES) as KeyScope[]).map((scope) => (
          <Fragment key={scope}>
            <h3>{SCOPES[scope]}</h3>
            {KEY_TABLE.filter((row) => row.scope === scope).map(line)}
          </Fragment>
        ))}
      </div>
      <div className="dialog-actions">
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Keys({ press }: { press: string | undefined }) {
  if (press === undefined) return <span className="key-none">None</span>;
  return keyNames(press).map((name) => <kbd key={name}>{name}</kbd>);
}
