import { openCards } from './deck-memory.ts';
import { neighbour, withoutCard } from './open-cards.ts';
import { route, showSession } from './route.ts';

/** Closing stops nothing (D11); the neighbour becomes the active one. */
export function closeCard(session: string): void {
  const cards = openCards.get();
  const next = neighbour(cards, session);
  openCards.set(withoutCard(cards, session));
  if (route.get() === session) showSession(next);
}
