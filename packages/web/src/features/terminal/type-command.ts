/** Opens a terminal with a command typed, for the user to check and send (B51). */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { terminals } from '@tugdeck/protocol/areas/terminals';
import { openCard, showCard } from '../../kit/layout/open-card.ts';
import { renderedTerminal } from './rendered-terminals.ts';

/** The terminal adapts to its card at once. */
const SIZE = { cols: 80, rows: 24 };

export async function typeCommand(client: Client, project: string, command: string): Promise<void> {
  const terminal = newId();
  const area = client.openArea(terminals, { project });
  try {
    await area.call('create', { terminal, runs: { type: 'shell' }, size: SIZE });
  } finally {
    area.close();
  }
  const card = openCard('terminal', { project, item: terminal });
  if (card !== undefined) showCard(card);
  const { screen } = await renderedTerminal(terminal);
  // A line break would send it.
  screen.terminal.paste(typable(command));
}

export function typable(command: string): string {
  return command.replace(/\p{Cc}+/gu, ' ');
}
