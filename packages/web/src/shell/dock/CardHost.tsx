/**
 * Renders one card in the dock. It is mounted when first shown and stays mounted: when hidden, it keeps its
 * elements and costs no layout or paint. An error inside stays inside (D10).
 */
import {
  type ComponentType,
  lazy,
  memo,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { ConversationPane } from '../../cards/conversation/ConversationPane.tsx';
import type { CardParams, CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { CardFrameProvider, createCardFrame } from '../../kit/layout/card-frame.tsx';
import { changeLayout } from '../../kit/layout/dock.ts';
import { bringForward, changeCard } from '../../kit/layout/edit-layout.ts';
import { keepFocus } from '../../kit/layout/focus-card.ts';
import { activeCard, type DockCard } from '../../kit/layout/layout.ts';
import { closeCardById } from '../../kit/layout/open-card.ts';
import { keepOpen } from '../../kit/layout/temporary.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx';
import { CARD_KINDS } from '../card-kinds.ts';
import { type Box, cssBox } from './place-layout.ts';

interface CardHostProps {
  card: DockCard;
  box: Box | undefined;
  layer: number;
  isVisible: boolean;
  isActive: boolean;
}

export function CardHost({ card, box, layer, isVisible, isActive }: CardHostProps) {
  const [wasShown, setShown] = useState(isVisible);
  if (isVisible && !wasShown) setShown(true);
  const host = useRef<HTMLDivElement>(null);
  const { id } = card;
  const session = card.kind === 'conversation' ? card.params.session : undefined;
  // A hidden card keeps its position, so that layout changes do not affect it.
  const last = useRef(box);
  if (box && isVisible) last.current = box;
  useEffect(() => keepFocus(id, host.current), [id]);
  const activate = () => {
    changeLayout((old) => (activeCard(old)?.id === id ? old : bringForward(old, id)));
  };
  return (
    <div
      ref={host}
      id={`card-${id}`}
      className="dock-card"
      role="tabpanel"
      aria-labelledby={`tab-${id}`}
      data-card={card.kind}
      data-visible={isVisible}
      data-floating={layer > 0 || undefined}
      style={{ ...(last.current ? cssBox(last.current) : {}), zIndex: layer * 2 + 1 }}
      onPointerDownCapture={activate}
      onInput={() => keepOpen(id)}
      onFocusCapture={activate}
    >
      {wasShown ? (
        <CardBody id={id} kind={card.kind} params={card.params} isVisible={isVisible} isActive={isActive} />
      ) : session === undefined ? null : (
        <KeepChannelOpen session={session} />
      )}
    </div>
  );
}

interface CardBodyProps {
  id: string;
  kind: string;
  params: CardParams;
  isVisible: boolean;
  isActive: boolean;
}

/** A separate component, so that layout changes do not re-render the card. */
const CardBody = memo(function CardBody({ id, kind, params, isVisible, isActive }: CardBodyProps) {
  const [frame] = useState(() => createCardFrame(id, { isVisible, isActive }));
  // In a layout effect, so that missed updates are rendered in the same frame.
  useLayoutEffect(() => frame.set({ isVisible, isActive }), [frame, isVisible, isActive]);
  const setTitle = useCallback(
    (title: string) =>
      changeLayout((old) =>
        changeCard(old, id, (card) =>
          card.title === title ? card : { ...card, title: title.slice(0, 200) },
        ),
      ),
    [id],
  );
  const setParams = useCallback(
    (next: CardParams) => changeLayout((old) => changeCard(old, id, (card) => ({ ...card, params: next }))),
    [id],
  );
  const close = useCallback(() => closeCardById(id), [id]);
  const View = viewOf(kind);
  if (!View) return null;
  return (
    <ErrorBoundary what="panel">
      <CardFrameProvider value={frame}>
        <Suspense fallback={<div className="card-loading" aria-busy="true" />}>
          <View
            params={params}
            isVisible={isVisible}
            setTitle={setTitle}
            setParams={setParams}
            close={close}
          />
        </Suspense>
      </CardFrameProvider>
    </ErrorBoundary>
  );
});

/** Keeps the conversation of a hidden card up to date, so that switching to it is immediate (D3). */
function KeepChannelOpen({ session }: { session: string }) {
  useChannel(useClient(), session);
  return null;
}

const views = new Map<string, ComponentType<CardProps>>([['conversation', ConversationPane]]);

/**
 * The component of each card kind. The conversation is part of the first load; the others are loaded when first
 * rendered.
 */
function viewOf(kind: string): ComponentType<CardProps> | undefined {
  const known = views.get(kind);
  const listed = CARD_KINDS.find((each) => each.kind === kind);
  if (known || !listed) return known;
  const made = lazy(listed.load);
  views.set(kind, made);
  return made;
}
