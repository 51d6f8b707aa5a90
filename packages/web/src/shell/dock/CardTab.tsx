/** The tab of one card (C18): click shows it, Delete or the middle button closes it, dragging moves it. */
import { X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { kindByName } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { layout } from '../../kit/layout/dock.ts';
import type { DockCard } from '../../kit/layout/layout.ts';
import { closeCardById } from '../../kit/layout/open-card.ts';
import { keepOpen } from '../../kit/layout/temporary.ts';
import { findAgent } from '../../kit/machines.ts';
import { isSeen } from '../../kit/session-state.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { useSessionState } from '../../kit/use-session-state.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { AgentMark } from '../../ui/AgentMark.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { StateGlyph } from '../../ui/StateGlyph.tsx';
import { cardTitle, contextToShow } from './card-title.ts';

export interface CardTabProps {
  card: DockCard;
  isFront: boolean;
  onShow: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function CardTab({ card, isFront, onShow, onKeyDown }: CardTabProps) {
  const { title, mark, context } = useTabFace(card);
  const tab = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const list = tab.current?.parentElement;
    if (!isFront || !list) return;
    const show = () => tab.current && reveal(tab.current, list);
    show();
    const watch = new ResizeObserver(show);
    watch.observe(list);
    return () => watch.disconnect();
  }, [isFront]);
  const { id } = card;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const { nativeEvent } = event;
    void import('./drag-card.ts').then(({ dragCard }) => dragCard(id, nativeEvent));
  };
  return (
    <button
      ref={tab}
      type="button"
      role="tab"
      id={`tab-${id}`}
      className="tab"
      data-session={card.params.session}
      data-tab={id}
      data-temporary={card.isTemporary || undefined}
      aria-description={card.isTemporary ? 'Temporary' : undefined}
      aria-selected={isFront}
      aria-controls={`card-${id}`}
      aria-keyshortcuts="Delete"
      tabIndex={isFront ? 0 : -1}
      title={[
        context === undefined ? title : `${title} · ${context}`,
        card.isTemporary ? 'Temporary: double-click to keep it open' : '',
      ]
        .filter(Boolean)
        .join('\n')}
      onClick={onShow}
      onDoubleClick={() => keepOpen(id)}
      onPointerDown={onPointerDown}
      onAuxClick={(event) => event.button === 1 && closeCardById(id)}
      onKeyDown={onKeyDown}
    >
      {mark}
      <span className="truncate tab-title">{title}</span>
      {/* The accessible name stays the same whatever else is open. */}
      {context === undefined || card.kind === 'conversation' ? null : (
        <span className="truncate tab-project" aria-hidden="true">
          {context}
        </span>
      )}
      {/* A tab must not contain a button: this is for the mouse, Delete is the key. */}
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

/** Pixels of the neighboring tab that stay visible, to show that it exists. */
const PEEK = 28;

/** Scrolls only the list; `scrollIntoView` would also move the dock. */
function reveal(tab: HTMLElement, list: HTMLElement): void {
  const { offsetLeft, offsetWidth } = tab;
  const left = offsetLeft - list.offsetLeft;
  const max = left - PEEK;
  const least = left + offsetWidth + PEEK - list.clientWidth;
  if (list.scrollLeft > max) list.scrollLeft = max;
  else if (list.scrollLeft < least) list.scrollLeft = least;
}

/** Title and mark of a tab, and its context: the agent of a session, or the project of a card. */
function useTabFace(card: DockCard) {
  const deck = useReadable(useClient().deck);
  const { cards } = useReadable(layout);
  const title = cardTitle(card, deck);
  const known = kindByName(card.kind);
  const row = deck?.sessions.find(({ id }) => id === card.params.session);
  const state = useSessionState(row);
  if (card.kind !== 'conversation') {
    const mark = known ? <Icon icon={known.icon} size={14} /> : null;
    return { title, mark, context: contextToShow(card, cards, deck) };
  }
  const agent = findAgent(deck, row?.agent);
  const mark = (
    <>
      <StateGlyph state={state} isSeen={row !== undefined && isSeen(row)} />
      {row ? <AgentMark mark={agent?.mark} /> : null}
    </>
  );
  return { title, mark, context: row && visibleText(agent?.label ?? row.agent) };
}
