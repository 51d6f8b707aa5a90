/** Types a command line into a terminal, opened as a card. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { terminals as terminalArea } from '@tugdeck/protocol/areas/terminals';
import { openCard } from '../../kit/layout/open-card.ts';
import { type OpenTerminal, renderedTerminal } from './rendered-terminals.ts';

const SIZE = { cols: 80, rows: 24 };

/** The id of a running terminal: `known` if it still runs, otherwise a new shell. */
export async function runningTerminal(client: Client, project: string, known?: string): Promise<string> {
  const area = client.openArea(terminalArea, { project });
  try {
    const { terminals: all } = await area.call('list');
    if (known !== undefined && all.some(({ id, state }) => id === known && state.type === 'running'))
      return known;
    const item = newId();
    await area.call('create', { terminal: item, runs: { type: 'shell' }, size: SIZE });
    return item;
  } finally {
    area.close();
  }
}

export async function typeInTerminal(project: string, item: string, command: string): Promise<OpenTerminal> {
  openCard('terminal', { project, item });
  const open = await renderedTerminal(item);
  open.connection.type(new TextEncoder().encode(`${command}\r`));
  return open;
}
