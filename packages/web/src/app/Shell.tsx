/**
 * The frame of the page: sidebar, tabs, the active card. Owns which cards are open and which dialog is; knows
 * nothing of what is inside a card. Hidden cards keep their channel, not their DOM.
 */
import { useEffect, useState } from 'react';
import { ConversationCard } from '../cards/conversation/ConversationCard.tsx';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { useReadable } from '../ui/use-readable.ts';
import { AddProjectDialog } from './AddProjectDialog.tsx';
import { useClient } from './client-context.tsx';
import { openCards } from './deck-memory.ts';
import { EmptyDeck } from './EmptyDeck.tsx';
import { HeldChannel } from './HeldChannel.tsx';
import { KeyboardPage } from './KeyboardPage.tsx';
import { NewSessionDialog } from './NewSessionDialog.tsx';
import { withCard } from './open-cards.ts';
import { CommandPalette } from './palette/CommandPalette.tsx';
import { route, showSession } from './route.ts';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';
import { useLanding } from './use-landing.ts';
import { useShellKeys } from './use-shell-keys.ts';

export type ShellDialog =
  | { kind: 'project' }
  | { kind: 'session'; project?: string }
  | { kind: 'palette' }
  | { kind: 'keyboard' };

export function Shell() {
  const client = useClient();
  const deck = useReadable(client.deck);
  const active = useReadable(route);
  const cards = useReadable(openCards);
  const [dialog, setDialog] = useState<ShellDialog>();
  const [isSheetOpen, setSheetOpen] = useState(false);
  useLanding(client);

  const known = new Set(deck?.sessions.filter((row) => !row.archived).map((row) => row.id));
  const row = deck?.sessions.find(({ id }) => id === active);
  useEffect(() => {
    setSheetOpen(false);
    if (active !== undefined) openCards.set(withCard(openCards.get(), active));
  }, [active]);

  // Of a long list the newest rows come first: what is not named yet is not gone.
  const isListed = deck !== undefined && !deck.more;
  const tabs = isListed ? cards.filter((card) => known.has(card)) : cards;
  const closeDialog = () => setDialog(undefined);
  useShellKeys({
    palette: () => setDialog({ kind: 'palette' }),
    keyboard: () => setDialog({ kind: 'keyboard' }),
    card: (at) => tabs[at] !== undefined && showSession(tabs[at]),
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
      <div className="shell-main">
        <TopBar tabs={tabs} onSheet={() => setSheetOpen(!isSheetOpen)} onDialog={setDialog} />
        <main className="shell-card">
          {active === undefined || (isListed && !row) ? (
            <EmptyDeck isUnknown={active !== undefined} onDialog={setDialog} />
          ) : (
            <ErrorBoundary key={active} what="card">
              <ConversationCard session={active} row={row} />
            </ErrorBoundary>
          )}
        </main>
      </div>
      {tabs.map((card) => (card === active ? null : <HeldChannel key={card} session={card} />))}
      {dialog?.kind === 'project' ? <AddProjectDialog onClose={closeDialog} /> : null}
      {dialog?.kind === 'session' ? (
        <NewSessionDialog project={dialog.project} onClose={closeDialog} />
      ) : null}
      {dialog?.kind === 'palette' ? <CommandPalette onDialog={setDialog} onClose={closeDialog} /> : null}
      {dialog?.kind === 'keyboard' ? <KeyboardPage onClose={closeDialog} /> : null}
    </div>
  );
}
