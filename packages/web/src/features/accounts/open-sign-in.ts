/** Opens a terminal with the agent's own command to sign in or out (A62). */
import { newId } from '@tugdeck/client/new-id';
import type { accounts } from '@tugdeck/protocol/areas/accounts';
import { openCard, showCard } from '../../kit/layout/open-card.ts';
import type { UsedArea } from '../../kit/use-area.ts';

/** The terminal adapts to its card at once. */
const SIZE = { cols: 80, rows: 24 };

export async function openSignIn(
  act: UsedArea<typeof accounts>['act'],
  agent: string,
  way: 'in' | 'out',
  project: string,
): Promise<void> {
  const terminal = newId();
  const isOpen = await act((area) => area.call('open', { agent, way, project, terminal, size: SIZE }));
  const card = isOpen ? openCard('terminal', { project, item: terminal }) : undefined;
  if (card !== undefined) showCard(card);
}
