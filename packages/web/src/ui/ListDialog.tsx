/**
 * A search box over a list (palette, quick open, search): typing filters, arrows choose, Enter opens, Esc closes.
 * The focus stays in the box. The caller provides items and their rendering.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import './list-dialog.css';
import { useModal } from './use-modal.ts';

export interface ListDialogProps<T> {
  /** Accessible name of the dialog. */
  name: string;
  /** Accessible name of the box. */
  label: string;
  look?: 'lines' | 'blocks';
  query: string;
  onQuery: (query: string) => void;
  found: readonly T[];
  keyOf: (item: T) => string;
  draw: (item: T) => ReactNode;
  onChoose: (item: T) => void;
  onClose: () => void;
  /** Called for every key that the list does not use. */
  onKey?: (event: KeyboardEvent) => void;
  /** Shown between box and list. */
  filters?: ReactNode;
  /** Shown below the list. */
  note?: ReactNode;
}

export function ListDialog<T>(props: ListDialogProps<T>) {
  const { name, label, look = 'lines', query, onQuery, found, keyOf, draw, onChoose, onClose } = props;
  const id = useId();
  const modal = useModal(onClose);
  const [chosenKey, setChosenKey] = useState<string>();
  const at = Math.max(
    0,
    found.findIndex((item) => keyOf(item) === chosenKey),
  );
  const choose = (index: number) => {
    const item = found.at(index % Math.max(1, found.length));
    setChosenKey(item && keyOf(item));
  };
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);

  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const step = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (step !== undefined && isTyping) {
      event.preventDefault();
      choose(step);
    } else if (event.key === 'Enter' && isTyping && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const item = found[at];
      if (item !== undefined) onChoose(item);
    } else props.onKey?.(event);
    // Shortcuts of the page and card do not apply while this is open; the dialog handles Esc.
    event.stopPropagation();
  };

  return (
    <dialog
      {...modal}
      className="list-dialog"
      data-look={look}
      aria-label={name}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="list-body">
        <input
          className="list-query"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          placeholder={label}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setChosenKey(undefined);
            onQuery(event.target.value);
          }}
        />
        {props.filters}
        <div id={id} role="listbox" aria-label="Results" className="list-rows">
          {found.map((item, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box keeps the focus and handles the keys
            <div
              key={keyOf(item)}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className="list-row"
              onMouseMove={() => index === at || choose(index)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(item)}
            >
              {draw(item)}
            </div>
          ))}
        </div>
        {props.note}
      </div>
    </dialog>
  );
}
