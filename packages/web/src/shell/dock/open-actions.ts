/** Actions that open a card of each kind for the current project: `open.<kind>` of the key table. */
import type { Client } from '@tugdeck/client/client';
import { layout } from '../../kit/layout/dock.ts';
import { activeCard } from '../../kit/layout/layout.ts';
import { openCard, showCard } from '../../kit/layout/open-card.ts';
import { CARD_KINDS } from '../card-kinds.ts';
import { currentProject, paramsFor } from './picker-rows.ts';

export function openActions(client: Client): Readonly<Record<string, () => void>> {
  return Object.fromEntries(
    CARD_KINDS.map((kind) => [
      `open.${kind.kind}`,
      () => {
        const deck = client.deck.get();
        const session = activeCard(layout.get())?.params.session;
        const params = paramsFor(kind, deck && currentProject(deck)?.id, session);
        const card = params && openCard(kind.kind, params);
        if (card !== undefined) showCard(card);
      },
    ]),
  );
}
