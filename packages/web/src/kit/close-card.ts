import { layout } from './layout/dock.ts';
import { closeCardById, findCard } from './layout/open-card.ts';

/** Closes the card of a session. Stops nothing (D11); the neighboring card becomes active. */
export function closeCard(session: string): void {
  const card = findCard(layout.get(), 'conversation', { session });
  if (card) closeCardById(card.id);
}
