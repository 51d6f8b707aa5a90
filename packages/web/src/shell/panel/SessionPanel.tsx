/**
 * The panel at the right of the stage (D21): changes, files, terminal, preview and information of the session in
 * front. Its tabs are the same components as the cards; each can be moved into the dock. Under 1180 px it is a drawer
 * over the stage, on a phone it covers the conversation.
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
import { isBeingMade, placeOf } from '../../kit/place.ts';
import { titleOf } from '../../kit/projects.ts';
import {
  choosePanel,
  DEFAULT_WIDTH,
  isPanelOpen,
  PANEL_LABELS,
  PANEL_TABS,
  type PanelChoice,
  type PanelTab,
  panelChoices,
  wantedPanelFocus,
} from '../../kit/session-panel.ts';
import { usePanelTabs } from '../../kit/use-panel-tabs.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { PanelResizer } from './PanelResizer.tsx';
import { PhoneHead } from './PhoneHead.tsx';

const VIEWS: Readonly<Record<PanelTab, ComponentType<CardProps>>> = {
  changes: lazy(() => import('../../cards/review/ReviewCard.tsx')),
  files: lazy(() => import('../../cards/files/FilesCard.tsx')),
  terminal: lazy(() => import('../../cards/terminal/TerminalCard.tsx')),
  preview: lazy(() => import('../../cards/preview/PreviewCard.tsx')),
  info: lazy(() => import('../../cards/conversation/info/InfoPane.tsx')),
};

/** The card that shows the same as a tab. */
const KINDS: Readonly<Partial<Record<PanelTab, string>>> = {
  changes: 'review',
  files: 'files',
  terminal: 'terminal',
  preview: 'preview',
};

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
  const shown = usePanelTabs(session);
  const wanted = choice.tab ?? defaultTab(row);
  const tab = shown.includes(wanted) ? wanted : defaultTab(row);
  const { width = DEFAULT_WIDTH } = choice;
  const [visited, setVisited] = useState<readonly PanelTab[]>([tab]);
  if (!visited.includes(tab)) setVisited([...visited, tab]);
  const choose = (next: PanelTab | undefined) => {
    if (next === undefined) isPanelOpen.set(false);
    else choosePanel(session, { tab: next });
  };
  const move = (each: PanelTab, where: Where) => {
    const kind = KINDS[each];
    const card = kind && openCard(kind, cardParams(each, row, choice), where);
    if (card === undefined) return;
    choosePanel(session, {
      tab: PANEL_TABS.find((other) => other !== each) ?? 'files',
      ...(each === 'terminal' ? { terminal: undefined } : {}),
      ...(each === 'preview' ? { preview: undefined } : {}),
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
      <PanelResizer width={width} onResize={(next) => choosePanel(session, { width: next })} />
      <header className="panel-head">
        {isPhone ? <PhoneHead row={row} /> : null}
        <PanelTabs
          tab={tab}
          shown={shown}
          hasChat={isPhone}
          onChoose={choose}
          onPointerDown={onPointerDown}
        />
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
          choice={choice}
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
  choice: PanelChoice;
  isVisible: boolean;
  onClose: () => void;
}

function TabBody({ tab, row, choice, isVisible, onClose }: TabBodyProps) {
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
  const isEarly = useSelected(useClient().deck, (deck) => isBeingMade(deck, placeOf(row)));
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
              // Opened again once its workspace is there.
              key={String(isEarly)}
              params={cardParams(tab, row, choice)}
              isVisible={isVisible}
              setTitle={noTitle}
              setParams={({ item }) => choosePanel(row.id, { [tab]: item })}
              close={onClose}
            />
          </Suspense>
        </CardFrameProvider>
      </ErrorBoundary>
    </div>
  );
}

const noTitle = () => undefined;

function cardParams(tab: PanelTab, row: SessionRow, choice: PanelChoice): CardParams {
  const { id } = row;
  const project = placeOf(row);
  if (tab === 'changes' || tab === 'info') return { project, session: id };
  // A terminal with a session is the agent's own interface.
  const item = tab === 'terminal' || tab === 'preview' ? choice[tab] : undefined;
  return { project, of: id, ...(item === undefined ? {} : { item }) };
}

function defaultTab({ summary }: SessionRow): PanelTab {
  return summary?.changes && summary.changes.files > 0 ? 'changes' : 'files';
}

const DRAWER = '(max-width: 1179px)';
const isDrawer = () => matchMedia(DRAWER).matches;
