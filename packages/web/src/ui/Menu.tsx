/**
 * A button that opens a menu in the top layer, so that no scroll container clips it. The browser closes it on Esc
 * and on a click outside; arrows move. Choices are data.
 */
import { Check } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import type { MenuChoice } from '../kit/offered-actions.ts';
import { Icon } from './Icon.tsx';
import { placeBeside } from './place-beside.ts';

export interface MenuProps {
  label: string;
  /** Drawn above the choices, by CSS: the accessible name says it. */
  heading?: string;
  /** For code that opens it: `[data-menu=NAME]`.showPopover(). */
  name?: string;
  choices: readonly MenuChoice[];
  children: ReactNode;
  className?: string;
  disabled?: boolean;
  title?: string;
  /** -1 in lists with arrow keys. */
  tabIndex?: number;
}

/** Where the menu that opens next was requested by a right click. */
let pointer: DOMRect | undefined;

/** Opens a menu at the pointer instead of at its button. */
export function openMenuAt(menu: HTMLElement, { clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>) {
  // One that is open already would not be placed again.
  menu.hidePopover();
  pointer = new DOMRect(clientX, clientY, 0, 0);
  menu.showPopover();
}

export function Menu({
  label,
  heading,
  name,
  choices,
  children,
  className = 'button',
  disabled = false,
  title,
  tabIndex,
}: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const onToggle = (isOpen: boolean) => {
    button.current?.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen || !button.current || !list.current) return;
    placeBeside(list.current, pointer ?? button.current.getBoundingClientRect());
    pointer = undefined;
    const checked = list.current.querySelector<HTMLElement>('[aria-checked="true"]');
    (checked ?? list.current.querySelector<HTMLElement>('button'))?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    event.stopPropagation();
    if (step === undefined) return;
    event.preventDefault();
    items.at(step % items.length)?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded="false"
        popoverTarget={id}
        disabled={disabled}
        title={title}
        tabIndex={tabIndex}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        data-menu={name}
        data-heading={heading}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onToggle={(event) => onToggle(event.newState === 'open')}
        onKeyDown={onKeyDown}
      >
        {choices.map((choice) => (
          <button
            key={choice.id}
            type="button"
            {...(choice.checked === undefined
              ? { role: 'menuitem' }
              : { role: 'menuitemradio', 'aria-checked': choice.checked })}
            data-apart={choice.isApart}
            tabIndex={-1}
            className="menu-item"
            onClick={() => {
              list.current?.hidePopover();
              choice.onChoose();
            }}
          >
            <span>
              {choice.checked || choice.icon ? <Icon icon={choice.icon ?? Check} size={14} /> : null}
            </span>
            <span>{choice.label}</span>
            {choice.detail ? <span className="menu-item-detail">{choice.detail}</span> : null}
          </button>
        ))}
      </div>
    </>
  );
}
