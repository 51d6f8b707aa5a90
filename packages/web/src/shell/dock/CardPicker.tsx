/** The card picker (D1): one row and one letter per kind. Letters, arrows and clicks choose. */
import type { KeyboardEvent } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { showFault } from '../../kit/undo.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { pickerRows } from './picker-rows.ts';

export interface CardPickerProps {
  /** The target group; by default the group with cards of the same kind. */
  group: string | undefined;
  onClose: () => void;
}

export function CardPicker({ group, onClose }: CardPickerProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const rows = deck ? pickerRows(client, deck, group) : [];
  const choose = (run: () => Promise<void> | void) => {
    onClose();
    Promise.resolve()
      .then(run)
      .catch((error) => showFault(faultText(error)));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows.find(({ letter }) => letter === event.key.toLowerCase());
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (!row && step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (row && !row.why) choose(row.run);
    else if (step !== undefined) items.at(step % items.length)?.focus();
  };
  return (
    <Dialog title="New tab" onClose={onClose}>
      <ul className="card-picker" onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              className="card-picker-row"
              disabled={row.why !== undefined}
              aria-keyshortcuts={row.letter}
              onClick={() => choose(row.run)}
            >
              <Icon icon={row.icon} />
              <span className="truncate">{row.label}</span>
              <span className="card-picker-detail truncate">{row.why ?? row.detail}</span>
              {row.letter ? <kbd>{row.letter.toUpperCase()}</kbd> : null}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
