/**
 * `! command` (C9): types the command into the session's terminal, opened beside the conversation, and returns its
 * output on request. Each session has one terminal, a full shell in the project.
 */

import type { Client } from '@tugdeck/client/client';
import { fenced } from '../../../features/prompt/add-to-prompt.ts';
import { runningTerminal, typeInTerminal } from '../../../features/terminal/type-in-terminal.ts';
import { placeOfSession } from '../../../kit/place.ts';
import { outputOf } from './shell-output.ts';

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
  const item = await runningTerminal(client, project, terminals.get(session));
  terminals.set(session, item);
  const open = await typeInTerminal(project, item, command);
  return { output: () => fenced(`$ ${command}\n${outputOf(command, open.screen.lastOutput())}`) };
}
