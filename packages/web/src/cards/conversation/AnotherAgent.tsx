/** Continues with another agent when this one does not start (H11). */

import { newId } from '@tugdeck/client/new-id';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { useCard } from '../../features/conversation/card-context.tsx';
import { withTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { agentsIn } from '../../kit/machines.ts';
import { placeOf } from '../../kit/place.ts';
import { showSession } from '../../kit/route.ts';
import { Menu } from '../../ui/Menu.tsx';

export function AnotherAgent({ onFault }: { onFault: (fault: string) => void }) {
  const client = useClient();
  const { channel, session } = useCard();
  const deck = client.deck.get();
  const row = deck?.sessions.find(({ id }) => id === session);
  const { agents } = deck ? agentsIn(deck, row?.project) : { agents: [] };
  const others = agents.filter(({ name, installed }) => installed && name !== row?.agent);
  if (!row || others.length === 0) return null;
  /** Starts a new session; this one keeps its content. The unsent text goes into the new composer and is not sent. */
  const begin = async (agent: string) => {
    const created = newId();
    const { project, workspace } = row;
    const where = workspace === undefined ? {} : { workspace: { id: workspace } };
    await withTrust(placeOf(row), agent, () =>
      client.request({ type: 'session.create', session: created, project, agent, ...where }),
    );
    const unsent = openEntries(channel.view.get().conversation).flatMap((entry) =>
      entry.kind === 'user' && (entry.delivery === 'accepted' || entry.delivery === 'failed')
        ? [entry.text]
        : [],
    );
    if (unsent.length > 0) client.saveDraft(created, unsent.join('\n\n'));
    showSession(created);
  };
  return (
    <Menu
      label="Switch agent"
      choices={others.map(({ name, label, detail }) => ({
        id: name,
        label,
        detail,
        onChoose: () => {
          begin(name).catch((error) => onFault(faultText(error)));
        },
      }))}
    >
      Switch agent
    </Menu>
  );
}
