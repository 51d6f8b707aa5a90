/**
 * The frame of the page: sidebar, dock, dialogs. Owns which dialog is open; knows nothing of what is inside a card.
 */
import { Menu as MenuIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { useAttention } from './attention/use-attention.ts';
import { ConfirmSessions } from './ConfirmSessions.tsx';
import { useClient } from './client-context.tsx';
import { DeckCorner } from './DeckCorner.tsx';
import { Dock } from './dock/Dock.tsx';
import { layout } from './dock/dock.ts';
import { followDeck } from './dock/follow-deck.ts';
import { tabOrder } from './dock/layout.ts';
import { showCard } from './dock/open-card.ts';
import { EmptyDeck } from './EmptyDeck.tsx';
import { route } from './route.ts';
import { Sidebar } from './Sidebar.tsx';
import { askedDialog } from './shell-dialog.ts';
import { UndoNote } from './UndoNote.tsx';
import { useLanding } from './use-landing.ts';
import { useShellKeys } from './use-shell-keys.ts';

export type ShellDialog =
  | { kind: 'project' }
  | { kind: 'session'; project?: string }
  | { kind: 'palette' }
  | { kind: 'keyboard' }
  | { kind: 'search' }
  | { kind: 'picker'; group?: string }
  | { kind: 'quick-open' };

/** All dialogs are loaded when first opened, and once the page has come to rest. */
const loadDialogs = () => import('./ShellDialogs.tsx');
const ShellDialogs = lazy(() => loadDialogs().then(({ ShellDialogs: view }) => ({ default: view })));

export function Shell() {
  const client = useClient();
  const active = useReadable(route);
  const [dialog, setDialog] = useState<ShellDialog>();
  const [isSheetOpen, setSheetOpen] = useState(false);
  useEffect(() => followDeck(client), [client]);
  useLanding(client);
  useAttention(client);
  useEffect(() => askedDialog.subscribe(() => setDialog(askedDialog.get())), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: choosing a session closes the sheet it was chosen in
  useEffect(() => setSheetOpen(false), [active]);
  useEffect(() => {
    const timer = setTimeout(() => void loadDialogs(), 1_000);
    return () => clearTimeout(timer);
  }, []);
  useShellKeys({
    palette: () => setDialog({ kind: 'palette' }),
    keyboard: () => setDialog({ kind: 'keyboard' }),
    quickOpen: () => setDialog({ kind: 'quick-open' }),
    card: (at) => {
      const card = tabOrder(layout.get())[at];
      if (card !== undefined) showCard(card);
    },
  });
  return (
    <div className="shell" data-sheet={isSheetOpen}>
      <Sidebar onDialog={setDialog} onClose={() => setSheetOpen(false)} />
      {isSheetOpen ? (
        <button
          type="button"
          className="shell-scrim"
          aria-label="Close"
          onClick={() => setSheetOpen(false)}
        />
      ) : null}
      <main className="shell-main">
        <Dock
          start={
            <IconButton
              icon={MenuIcon}
              label="Show projects"
              className="only-narrow"
              onClick={() => setSheetOpen(!isSheetOpen)}
            />
          }
          end={<DeckCorner onDialog={setDialog} />}
          onPick={(group) => setDialog({ kind: 'picker', group })}
          empty={<EmptyDeck isUnknown={active !== undefined} onDialog={setDialog} />}
        />
      </main>
      <UndoNote />
      <ConfirmSessions />
      {dialog ? (
        <Suspense>
          <ShellDialogs dialog={dialog} onDialog={setDialog} onClose={() => setDialog(undefined)} />
        </Suspense>
      ) : null}
    </div>
  );
}
