/**
 * `! command` (C9): types the command into the session's terminal, opened beside the conversation, and returns its
 * output on request. Each session has one terminal, a full shell in the project.
 */

import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { terminals as terminalArea } from '@tugdeck/protocol/areas/terminals';
import { fenced } from '../../../features/prompt/add-to-prompt.ts';
import { renderedTerminal } from '../../../features/terminal/rendered-terminals.ts';
import { openCard } from '../../../kit/layout/open-card.ts';
import { placeOfSession } from '../../../kit/place.ts';
import { outputOf } from './shell-output.ts';

const SIZE = { cols: 80, rows: 24 };
/** Terminal id per session, for the lifetime of the page. */
const terminals = new Map<string, string>();

export interface TerminalRun {
  /** The command and its output so far, formatted for a message. */
  readonly output: () => string;
}

export async function runInTerminal(client: Client, session: string, typed: string): Promise<TerminalRun> {
  const command = typed.trim();
  const project = placeOfSession(client.deck.get(), session);
  if (project === undefined) throw new Error('This session has no project');
  const item = await terminalOf(client, project, session);
  openCard('terminal', { project, item });
  const open = await renderedTerminal(item);
  open.connection.type(new TextEncoder().encode(`${command}\r`));
  return { output: () => fenced(`$ ${command}\n${outputOf(command, open.screen.lastOutput())}`) };
}

async function terminalOf(client: Client, project: string, session: string): Promise<string> {
  const area = client.openArea(terminalArea, { project });
  try {
    const known = terminals.get(session);
    const { terminals: all } = await area.call('list');
    if (known !== undefined && all.some(({ id, state }) => id === known && state.type === 'running'))
      return known;
    const item = newId();
    await area.call('create', { terminal: item, runs: { type: 'shell' }, size: SIZE });
    terminals.set(session, item);
    return item;
  } finally {
    area.close();
  }
}
