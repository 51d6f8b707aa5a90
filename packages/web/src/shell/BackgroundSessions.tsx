/**
 * Sessions that are working or need the user while no card shows them (D11). Closing a card never stops its
 * session.
 */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { layout } from '../kit/layout/dock.ts';
import { sessionState } from '../kit/session-state.ts';
import { useReadable } from '../kit/use-readable.ts';
import { SessionLink } from './SessionLink.tsx';

export function BackgroundSessions({ deck }: { deck: Deck }) {
  const { cards } = useReadable(layout);
  const open = new Set(cards.map(({ params }) => params.session));
  const rows = deck.sessions.filter((row) => {
    const state = sessionState(row, { now: row.activeAt });
    return row.live && (state === 'working' || state === 'needs') && !open.has(row.id);
  });
  if (rows.length === 0) return null;
  return (
    <section className="project" aria-label="Active">
      <h3 className="sidebar-heading">Active</h3>
      <ul className="session-list">
        {rows.map((row) => (
          <SessionLink key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}
