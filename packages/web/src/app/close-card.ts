import { layout } from './dock/dock.ts';
import { closeCardById, findCard } from './dock/open-card.ts';

/** Closes the conversation of a session. Stops nothing (D11); the neighbour becomes the active one. */
export function closeCard(session: string): void {
  const card = findCard(layout.get(), 'conversation', { session });
  if (card) closeCardById(card.id);
}
