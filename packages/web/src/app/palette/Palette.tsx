/** The command palette (D4): one box that finds sessions, projects and actions. Keys choose, Enter runs, Esc closes. */
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { Marked } from '../../ui/Marked.tsx';
import { kept, listOfNames } from '../kept.ts';
import { takeTyped } from '../typed-ahead.ts';
import { type FoundItem, findItems, type PaletteItem, withRecent } from './palette-items.ts';

const recentItems = kept<readonly string[]>('palette', listOfNames);

export interface PaletteProps {
  items: readonly PaletteItem[];
  onClose: () => void;
}

export function Palette({ items, onClose }: PaletteProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState(takeTyped);
  const [chosen, setChosen] = useState(0);
  const found = findItems(items, query, recentItems.get());
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  useEffect(() => {
    list.current
      ?.querySelector(`[id="${CSS.escape(`${id}-${chosen}`)}"]`)
      ?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);

  const run = (item: FoundItem | undefined) => {
    if (!item) return;
    recentItems.set(withRecent(recentItems.get(), item.id));
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(found[chosen]);
    }
    // Keys of the page and of the card are not meant while this is open; Esc is the dialog's own.
    event.stopPropagation();
  };

  return (
    <dialog
      ref={show}
      className="palette"
      aria-label="Command palette"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="palette-body">
        <input
          className="palette-query"
          role="combobox"
          aria-label="Find a session, project or action"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder="Find a session, project or action"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
        />
        <div ref={list} id={id} role="listbox" aria-label="Found" className="palette-list">
          {found.map((item, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's, which keeps the focus
            <div
              key={item.id}
              id={`${id}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === chosen}
              className="palette-row"
              onMouseMove={() => at === chosen || setChosen(at)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => run(item)}
            >
              <span className="truncate">
                <Marked text={item.label} at={item.match.at} />
              </span>
              {item.detail ? <span className="palette-detail truncate">{item.detail}</span> : null}
              <span className="palette-group">{item.keys ?? item.group}</span>
            </div>
          ))}
        </div>
        {found.length === 0 ? <p className="palette-none">Nothing is called that.</p> : null}
      </div>
    </dialog>
  );
}
