/**
 * The panel at the right of the stage (D21): changes, files, terminal and information of the session in front. Its
 * tabs are the same components as the cards; each can be moved into the dock. Under 1180 px it is a drawer over the
 * stage, on a phone it covers the conversation.
 */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { Maximize2, X } from 'lucide-react';
import {
  type ComponentType,
  type KeyboardEvent,
  lazy,
  type PointerEvent,
  Suspense,
  useEffect,
  useState,
} from 'react';
import { PanelTabs } from '../../features/session-panel/PanelTabs.tsx';
import type { CardParams, CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { CardFrameProvider, createCardFrame } from '../../kit/layout/card-frame.tsx';
import { focusCard } from '../../kit/layout/focus-card.ts';
import type { Place } from '../../kit/layout/layout.ts';
import { openCard, showCard, type Where } from '../../kit/layout/open-card.ts';
import { placeOf } from '../../kit/place.ts';
import { titleOf } from '../../kit/projects.ts';
import {
  choosePanel,
  DEFAULT_WIDTH,
  isPanelOpen,
  MIN_WIDTH,
  PANEL_LABELS,
  PANEL_TABS,
  type PanelTab,
  panelChoices,
  wantedPanelFocus,
} from '../../kit/session-panel.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { PhoneHead } from './PhoneHead.tsx';

const VIEWS: Readonly<Record<PanelTab, ComponentType<CardProps>>> = {
  changes: lazy(() => import('../../cards/review/ReviewCard.tsx')),
  files: lazy(() => import('../../cards/files/FilesCard.tsx')),
  terminal: lazy(() => import('../../cards/terminal/TerminalCard.tsx')),
  info: lazy(() => import('../../cards/conversation/info/InfoPane.tsx')),
};

/** The card that shows the same as a tab. */
const KINDS: Readonly<Partial<Record<PanelTab, string>>> = {
  changes: 'review',
  files: 'files',
  terminal: 'terminal',
};

const RESIZE_STEP = 16;
/** Window width at which the panel leaves room for two cards on the stage. */
const WIDE = 1600;

export interface SessionPanelProps {
  session: string;
  isPhone: boolean;
}

export function SessionPanel({ session, isPhone }: SessionPanelProps) {
  const row = useSelected(useClient().deck, (deck) => deck?.sessions.find(({ id }) => id === session));
  if (!row) return null;
  return <OpenPanel key={session} row={row} isPhone={isPhone} />;
}

function OpenPanel({ row, isPhone }: { row: SessionRow; isPhone: boolean }) {
  const session = row.id;
  const choice = useReadable(panelChoices)[session] ?? {};
  const tab = choice.tab ?? defaultTab(row);
  const { width = DEFAULT_WIDTH } = choice;
  const [visited, setVisited] = useState<readonly PanelTab[]>([tab]);
  if (!visited.includes(tab)) setVisited([...visited, tab]);
  const choose = (next: PanelTab | undefined) => {
    if (next === undefined) isPanelOpen.set(false);
    else choosePanel(session, { tab: next });
  };
  const move = (each: PanelTab, where: Where) => {
    const kind = KINDS[each];
    const card = kind && openCard(kind, cardParams(each, row, choice.terminal), where);
    if (card === undefined) return;
    choosePanel(session, {
      tab: PANEL_TABS.find((other) => other !== each) ?? 'files',
      ...(each === 'terminal' ? { terminal: undefined } : {}),
    });
    setVisited(visited.filter((other) => other !== each));
    if (innerWidth < WIDE) isPanelOpen.set(false);
    showCard(card);
  };
  const onPointerDown = (each: PanelTab, event: PointerEvent<HTMLElement>) => {
    if (KINDS[each] === undefined || event.button !== 0 || event.pointerType === 'touch') return;
    const { nativeEvent } = event;
    void import('../dock/drag-card.ts').then(({ dragToDock }) =>
      dragToDock(nativeEvent, (place: Place) => move(each, place)),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isText = (event.target as HTMLElement).closest('textarea, input, .terminal-host');
    if (event.key !== 'Escape' || event.defaultPrevented || isText || !isDrawer()) return;
    isPanelOpen.set(false);
  };
  return (
    <aside
      className="session-panel"
      aria-label={`Panel of ${titleOf(row)}`}
      style={{ '--panel-width': `${width}px` } as React.CSSProperties}
      onKeyDown={onKeyDown}
    >
      <Resizer width={width} onResize={(next) => choosePanel(session, { width: next })} />
      <header className="panel-head">
        {isPhone ? <PhoneHead title={titleOf(row)} /> : null}
        <PanelTabs tab={tab} hasChat={isPhone} onChoose={choose} onPointerDown={onPointerDown} />
        {isPhone ? null : (
          <span className="panel-buttons">
            {KINDS[tab] === undefined ? null : (
              <IconButton
                icon={Maximize2}
                label={`Open ${PANEL_LABELS[tab].toLowerCase()} as a tab`}
                onClick={() => move(tab, 'right')}
              />
            )}
            <IconButton icon={X} label="Hide session panel" onClick={() => isPanelOpen.set(false)} />
          </span>
        )}
      </header>
      {visited.map((each) => (
        <TabBody
          key={each}
          tab={each}
          row={row}
          terminal={choice.terminal}
          isVisible={each === tab}
          onClose={() => {
            choosePanel(session, { tab: 'changes', terminal: undefined });
            setVisited(['changes', ...visited.filter((other) => other !== each)]);
          }}
        />
      ))}
    </aside>
  );
}

interface TabBodyProps {
  tab: PanelTab;
  row: SessionRow;
  terminal: string | undefined;
  isVisible: boolean;
  onClose: () => void;
}

function TabBody({ tab, row, terminal, isVisible, onClose }: TabBodyProps) {
  const id = `panel-${tab}`;
  const [frame] = useState(() => createCardFrame(id, { isVisible, isActive: false }));
  useEffect(() => frame.set({ isVisible, isActive: false }), [frame, isVisible]);
  const isWanted = useReadable(wantedPanelFocus) === tab && isVisible;
  useEffect(() => {
    if (!isWanted) return;
    wantedPanelFocus.set(undefined);
    focusCard(id);
  }, [isWanted, id]);
  const View = VIEWS[tab];
  return (
    <div
      id={`card-${id}`}
      className="panel-body"
      role="tabpanel"
      aria-label={PANEL_LABELS[tab]}
      hidden={!isVisible}
    >
      <ErrorBoundary what="panel">
        <CardFrameProvider value={frame}>
          <Suspense fallback={<div className="card-loading" aria-busy="true" />}>
            <View
              params={cardParams(tab, row, terminal)}
              isVisible={isVisible}
              setTitle={noTitle}
              setParams={({ item }) => choosePanel(row.id, { terminal: item })}
              close={onClose}
            />
          </Suspense>
        </CardFrameProvider>
      </ErrorBoundary>
    </div>
  );
}

const noTitle = () => undefined;

function cardParams(tab: PanelTab, row: SessionRow, terminal: string | undefined): CardParams {
  const { id } = row;
  const project = placeOf(row);
  if (tab === 'changes' || tab === 'info') return { project, session: id };
  // A terminal with a session is the agent's own interface.
  return { project, of: id, ...(tab === 'terminal' && terminal !== undefined ? { item: terminal } : {}) };
}

function defaultTab({ summary }: SessionRow): PanelTab {
  return summary?.changes && summary.changes.files > 0 ? 'changes' : 'files';
}

const DRAWER = '(max-width: 1179px)';
const isDrawer = () => matchMedia(DRAWER).matches;

function Resizer({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const maxWidth = () => Math.max(MIN_WIDTH, Math.round(innerWidth / 2));
  const set = (next: number) => onResize(Math.min(Math.max(Math.round(next), MIN_WIDTH), maxWidth()));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const start = handle.parentElement?.getBoundingClientRect().width ?? width;
    const onMove = (moved: globalThis.PointerEvent) => set(start + from - moved.clientX);
    const end = () => {
      handle.removeEventListener('pointermove', onMove);
      handle.removeEventListener('lostpointercapture', end);
    };
    handle.addEventListener('pointermove', onMove);
    handle.addEventListener('lostpointercapture', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: RESIZE_STEP, ArrowRight: -RESIZE_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(width + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between paragraphs cannot be moved
    <div
      className="panel-resizer"
      role="separator"
      tabIndex={0}
      aria-label="Session panel width"
      aria-orientation="vertical"
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={maxWidth()}
      aria-valuenow={width}
      onPointerDown={onPointerDown}
      onDoubleClick={() => set(DEFAULT_WIDTH)}
      onKeyDown={onKeyDown}
    />
  );
}
