/**
 * The frame of the page: sidebar, dock, dialogs. Owns which dialog is open; knows nothing about the contents of
 * cards.
 */
import { type KeyboardEvent, lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { runAction, useActions } from '../kit/action-runners.ts';
import { useClient } from '../kit/client-context.tsx';
import { markTried } from '../kit/getting-started.ts';
import { followLastOnline } from '../kit/last-online.ts';
import { layout } from '../kit/layout/dock.ts';
import { frontSession } from '../kit/layout/front-session.ts';
import { activeCard } from '../kit/layout/layout.ts';
import { lazyComponent, preloadLazyComponents } from '../kit/lazy-component.tsx';
import { isLimited } from '../kit/limited.ts';
import { newSession } from '../kit/new-session.ts';
import { canStart, hasSessions } from '../kit/projects.ts';
import { atHome, route, showHome } from '../kit/route.ts';
import { isPanelOpen, shownPanel } from '../kit/session-panel.ts';
import { requestedDialog, type ShellDialog } from '../kit/shell-dialog.ts';
import { PHONE, useMedia } from '../kit/use-media.ts';
import { useReadable, useSelected } from '../kit/use-readable.ts';
import { useAttention } from './attention/use-attention.ts';
import { StatusBar } from './bars/StatusBar.tsx';
import { TopBar } from './bars/TopBar.tsx';
import { ConnectionState } from './ConnectionState.tsx';
import { Dock } from './dock/Dock.tsx';
import { followDeck } from './dock/follow-deck.ts';
import { syncLayout } from './dock/sync-layout.ts';
import { followKeyboard } from './follow-keyboard.ts';
import { useInstall } from './install/use-install.ts';
import { syncKeys } from './keys/sync-keys.ts';
import { usePageKeys } from './keys/use-page-keys.ts';
import { Sidebar } from './Sidebar.tsx';
import { SkipLink } from './SkipLink.tsx';
import { sidebarHidden, statusBarHidden } from './sidebar-state.ts';
import { stepSession } from './step-session.ts';
import { takeTyped, typeAhead } from './typed-ahead.ts';
import { useInitialRoute } from './use-initial-route.ts';
import { useSwipeBack } from './use-swipe-back.ts';

/** Collects keys pressed while a dialog loads, so that they do not reach the page below. */
function ComingDialog() {
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    takeTyped();
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const onKeyDown = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    if (!ctrlKey && !metaKey) typeAhead(key);
  };
  return <dialog ref={show} className="coming" aria-busy="true" onKeyDown={onKeyDown} />;
}

/** Dialogs are loaded when first opened, or when the page becomes idle. */
const loadDialogs = () => import('./ShellDialogs.tsx');
const ShellDialogs = lazy(() => loadDialogs().then(({ ShellDialogs: view }) => ({ default: view })));

/** At this width the sidebar is a sheet over the card. */
const NARROW = '(max-width: 720px)';

const Home = lazyComponent(() => import('../cards/home/Home.tsx').then((part) => part.Home));
const EmptyDeck = lazyComponent(() => import('./EmptyDeck.tsx').then((part) => part.EmptyDeck));
const ConfirmSessions = lazyComponent(() =>
  import('./ConfirmSessions.tsx').then((part) => part.ConfirmSessions),
);
const TrustQuestion = lazyComponent(() =>
  import('../features/trust/TrustQuestion.tsx').then((part) => part.TrustQuestion),
);
const UndoNote = lazyComponent(() => import('./UndoNote.tsx').then((part) => part.UndoNote));
const NotificationOffer = lazyComponent(() =>
  import('./attention/NotificationOffer.tsx').then((part) => part.NotificationOffer),
);
const SessionPanel = lazyComponent(() =>
  import('./panel/SessionPanel.tsx').then((part) => part.SessionPanel),
);
const PhoneBar = lazyComponent(() => import('./PhoneBar.tsx').then((part) => part.PhoneBar));

export function Shell() {
  const client = useClient();
  const active = useReadable(route);
  const [dialog, setDialog] = useState<ShellDialog>();
  const isSidebarHidden = useReadable(sidebarHidden);
  const isPhone = useMedia(PHONE);
  const isStatusHidden = useReadable(statusBarHidden);
  const isHome = useIsHome();
  const isPanelShown = useReadable(isPanelOpen);
  const panelSession = usePanelSession(isPhone);
  const { state } = useReadable(client.status);
  const hasDeck = useSelected(client.deck, (deck) => deck !== undefined);
  // Nothing else would work.
  const isBare = state === 'signed-out' && !hasDeck;
  const [isSheetOpen, setSheetOpen] = useState(false);
  const closeSheet = useCallback(() => setSheetOpen(false), []);
  useEffect(() => followDeck(client), [client]);
  useInitialRoute(client);
  useAttention(client);
  useInstall(client);
  useEffect(() => followLastOnline(client), [client]);
  useEffect(followKeyboard, []);
  useSwipeBack(isPhone && !isHome && !isSheetOpen, showHome);
  useEffect(() => requestedDialog.subscribe(() => setDialog(requestedDialog.get())), []);
  useEffect(() => syncLayout(client), [client]);
  // Choosing a session closes the sheet that it was chosen in, also if the URL names it already.
  useEffect(() => route.subscribe(closeSheet), [closeSheet]);
  useEffect(() => {
    const timer = setTimeout(() => {
      void loadDialogs();
      void preloadLazyComponents();
    }, 300);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (dialog?.kind === 'palette') markTried('palette');
  }, [dialog]);
  useEffect(() => syncKeys(client), [client]);
  usePageKeys();
  useEffect(() => {
    const loaded = import('./dock/provide-actions.ts').then((part) => part.provideDockActions(client));
    return () => void loaded.then((end) => end());
  }, [client]);
  const startSession = useCallback(() => void newSession(client), [client]);
  useActions({
    'home.show': showHome,
    'statusbar.toggle': () => statusBarHidden.set(!isStatusHidden),
    'palette.open': () => setDialog({ kind: 'palette' }),
    'palette.open-anywhere': () => setDialog({ kind: 'palette' }),
    'keyboard.show': () => setDialog({ kind: 'keyboard' }),
    'session.new': startSession,
    'session.new-plain': startSession,
    'session.previous': () => stepSession(client, -1),
    'session.next': () => stepSession(client, 1),
    'inbox.show': () => runAction('open.inbox'),
    'project.add': () => setDialog({ kind: 'project' }),
    'card.open': () => setDialog({ kind: 'picker' }),
    'file.open': () => setDialog({ kind: 'quick-open' }),
    'search.open': () => setDialog({ kind: 'search' }),
    'sidebar.toggle': () =>
      matchMedia(NARROW).matches ? showProjects() : sidebarHidden.set(!isSidebarHidden),
  });
  const showProjects = useCallback(() => {
    if (matchMedia(NARROW).matches) setSheetOpen((isOpen) => !isOpen);
    else sidebarHidden.set(false);
  }, []);
  const openPalette = useCallback(() => setDialog({ kind: 'palette' }), []);
  return (
    <div
      className="shell"
      data-sheet={isSheetOpen}
      data-sidebar={isSidebarHidden || isBare ? 'hidden' : 'shown'}
      data-offline={state !== 'online' && state !== 'connecting'}
    >
      <SkipLink />
      {isBare || (isPhone && !isHome) ? null : (
        <TopBar isHome={isHome} onProjects={showProjects} onPalette={openPalette} />
      )}
      {isBare ? null : <Sidebar onDialog={setDialog} onClose={closeSheet} />}
      {isSheetOpen ? (
        <button type="button" className="shell-scrim" aria-label="Close" onClick={closeSheet} />
      ) : null}
      <main className="shell-main">
        <Dock
          isCovered={isHome}
          end={isPhone ? <ConnectionState isBrief /> : null}
          onPick={(group) => setDialog({ kind: 'picker', group })}
          empty={<EmptyDeck isUnknown={active !== undefined} onDialog={setDialog} />}
        />
        {isHome ? (
          <div className="stage-home">
            <Home onNewSession={startSession} />
          </div>
        ) : null}
        {isPhone && !isBare ? (
          <PhoneBar isHome={isHome} onProjects={showProjects} onLeave={closeSheet} />
        ) : null}
      </main>
      {isPanelShown && panelSession !== undefined && !isHome ? (
        <SessionPanel session={panelSession} isPhone={isPhone} />
      ) : null}
      {isPhone || isStatusHidden || isBare ? null : <StatusBar />}
      <UndoNote />
      <NotificationOffer />
      <ConfirmSessions />
      {dialog ? (
        <Suspense fallback={<ComingDialog />}>
          <ShellDialogs dialog={dialog} onDialog={setDialog} onClose={() => setDialog(undefined)} />
        </Suspense>
      ) : null}
      <TrustQuestion />
    </div>
  );
}

/** On a phone the panel covers the card in front: only if that is the conversation that it was shown for. */
function usePanelSession(isPhone: boolean): string | undefined {
  const session = useReadable(frontSession);
  const isOther = useSelected(layout, (now) => activeCard(now)?.kind !== 'conversation');
  const isShown = useReadable(shownPanel) === session;
  const isHidden = useReadable(isLimited);
  return isHidden || (isPhone && (isOther || !isShown)) ? undefined : session;
}

/** Home is shown on request, and when nothing is open. */
function useIsHome(): boolean {
  const client = useClient();
  const isWanted = useReadable(atHome);
  const isLinked = useReadable(route) !== undefined;
  const isEmpty = useSelected(layout, ({ root, floats }) => root === undefined && floats.length === 0);
  const isSignedOut = useSelected(client.status, ({ state }) => state === 'signed-out');
  const hasDeck = useSelected(client.deck, (deck) => deck !== undefined);
  // Otherwise the first session starts by itself (D12).
  const hasContent = useSelected(
    client.deck,
    (deck) => deck !== undefined && (hasSessions(deck) || !canStart(deck)),
  );
  return !isSignedOut && (isWanted ? hasDeck : isEmpty && !isLinked && hasContent);
}
