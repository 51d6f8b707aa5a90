/** The tab of one card (C18): click shows it, Delete or the middle button closes it, dragging moves it. */
import { X } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { useReadable } from '../../ui/use-readable.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useClient } from '../client-context.tsx';
import { titleOf } from '../projects.ts';
import { sessionState } from '../session-state.ts';
import { kindNamed } from './known-kinds.ts';
import type { DockCard } from './layout.ts';
import { closeCardById } from './open-card.ts';

export interface CardTabProps {
  card: DockCard;
  isFront: boolean;
  onShow: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function CardTab({ card, isFront, onShow, onKeyDown }: CardTabProps) {
  const { title, mark } = useTabFace(card);
  const { id } = card;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const { nativeEvent, currentTarget } = event;
    void import('./drag-card.ts').then(({ dragCard }) => dragCard(id, nativeEvent, currentTarget));
  };
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${id}`}
      className="tab"
      data-session={card.params.session}
      data-tab={id}
      aria-selected={isFront}
      aria-controls={`card-${id}`}
      aria-keyshortcuts="Delete"
      tabIndex={isFront ? 0 : -1}
      title={title}
      onClick={onShow}
      onPointerDown={onPointerDown}
      onAuxClick={(event) => event.button === 1 && closeCardById(id)}
      onKeyDown={onKeyDown}
    >
      {mark}
      <span className="truncate tab-title">{title}</span>
      {/* A button inside a tab would be no valid tab: this one is for the mouse, Delete is for keys. */}
      <span
        className="tab-close"
        aria-hidden="true"
        onPointerDown={(event) => event.stopPropagation()}
        onClick={(event) => {
          event.stopPropagation();
          closeCardById(id);
        }}
      >
        <Icon icon={X} size={14} />
      </span>
    </button>
  );
}

function useTabFace({ kind, params, title }: DockCard) {
  const deck = useReadable(useClient().deck);
  const known = kindNamed(kind);
  if (kind === 'conversation') {
    const row = deck?.sessions.find(({ id }) => id === params.session);
    return {
      title: row ? titleOf(row) : 'Session',
      mark: <StatusDot state={sessionState(row?.summary, row?.live ?? false)} />,
    };
  }
  return {
    title: visibleText(title ?? known?.label ?? kind),
    mark: known ? <Icon icon={known.icon} size={14} /> : null,
  };
}
