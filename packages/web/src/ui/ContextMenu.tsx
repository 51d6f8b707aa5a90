/**
 * A context menu, opened by right click, long press or the menu key. In the top layer; the browser closes it on Esc
 * and on a click outside, arrows move.
 */
import { type KeyboardEvent, useCallback, useRef } from 'react';
import type { MenuChoice } from '../kit/offered-actions.ts';
import { placeBeside } from './place-beside.ts';

export interface ContextMenuProps {
  label: string;
  at: { readonly x: number; readonly y: number };
  choices: readonly MenuChoice[];
  onClose: () => void;
}

export function ContextMenu({ label, at, choices, onClose }: ContextMenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const show = useCallback(
    (menu: HTMLDivElement | null) => {
      list.current = menu;
      if (!menu) return;
      menu.showPopover();
      placeBeside(menu, new DOMRect(at.x, at.y, 0, 0));
      menu.querySelector('button')?.focus();
    },
    [at.x, at.y],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll('button') ?? [])];
    const now = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
    event.stopPropagation();
    if (step === undefined) return;
    event.preventDefault();
    items.at(step % items.length)?.focus();
  };
  return (
    <div
      ref={show}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className="menu"
      onToggle={(event) => event.newState === 'closed' && onClose()}
      onKeyDown={onKeyDown}
    >
      {choices.map((choice) => (
        <button
          key={choice.id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          onClick={() => {
            list.current?.hidePopover();
            choice.onChoose();
          }}
        >
          <span />
          <span>{choice.label}</span>
        </button>
      ))}
    </div>
  );
}
