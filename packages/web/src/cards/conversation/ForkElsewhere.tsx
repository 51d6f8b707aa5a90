/** Below a conversation whose machine is offline: forks it to a project of another machine (N34). */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useState } from 'react';
import { useCard } from '../../features/conversation/card-context.tsx';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { showFault } from '../../kit/undo.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Menu } from '../../ui/Menu.tsx';
import { forkElsewhere, forkPlaces } from './fork-elsewhere.ts';

export function ForkElsewhere({ row }: { row: SessionRow }) {
  const client = useClient();
  const { channel } = useCard();
  const deck = useReadable(client.deck);
  const isRead = useSelected(channel.view, ({ phase, order }) => phase === 'ready' && order.length > 0);
  const [isBusy, setBusy] = useState(false);
  const places = deck && isRead ? forkPlaces(deck, row) : [];
  if (places.length === 0) return null;
  return (
    <Menu
      label="Fork to another machine"
      disabled={isBusy}
      choices={places.map((place) => ({
        id: place.project.id,
        label: visibleText(place.project.name),
        detail: `${place.machine?.id ?? 'This machine'} · ${visiblePath(place.project.path)}`,
        onChoose: () => {
          setBusy(true);
          forkElsewhere(client, channel, row, place)
            .catch((error: unknown) => showFault(faultText(error)))
            .finally(() => setBusy(false));
        },
      }))}
    >
      Fork to another machine
    </Menu>
  );
}
