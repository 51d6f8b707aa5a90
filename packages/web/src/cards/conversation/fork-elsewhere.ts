/**
 * Forks a session of a machine that can't be reached to a project of another one (N34): a new session there, with the
 * conversation attached to its first message. An agent's own memory and the files stay on its machine.
 */
import type { Client } from '@tugdeck/client/client';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { newId } from '@tugdeck/client/new-id';
import type { Deck, MachineRow, Project, SessionRow } from '@tugdeck/protocol/wire/deck';
import { showBeside } from '../../kit/deck-actions.ts';
import { agentsIn, machineOf } from '../../kit/machines.ts';
import { titleOf, usableAgent } from '../../kit/projects.ts';
import { showNote } from '../../kit/undo.ts';

export interface ForkPlace {
  readonly project: Project;
  /** Undefined for this machine. */
  readonly machine: MachineRow | undefined;
  readonly agent: string;
}

/** Projects of machines that can be reached, those with the name of the session's project first. */
export function forkPlaces(deck: Deck, row: SessionRow): ForkPlace[] {
  const name = deck.projects.find(({ id }) => id === row.project)?.name;
  return deck.projects
    .flatMap((project): ForkPlace[] => {
      const machine = machineOf(deck, project);
      if (project.machine === row.machine || (machine && machine.state !== 'online')) return [];
      const isThere = agentsIn(deck, project.id).agents.some(
        ({ name: known, installed }) => installed && known === row.agent,
      );
      const agent = isThere ? row.agent : usableAgent(deck, project.id);
      return agent === undefined ? [] : [{ project, machine, agent }];
    })
    .sort((a, b) => Number(b.project.name === name) - Number(a.project.name === name));
}

/** How long older entries may take: without a copy they can't be read until the machine is back. */
const OLDER_MS = 10_000;

export async function forkElsewhere(
  client: Client,
  channel: ConversationChannel,
  row: SessionRow,
  { project, agent }: ForkPlace,
): Promise<void> {
  const { attachConversation } = await import('../../features/restore/attach-history.ts');
  const session = newId();
  await client.request({ type: 'session.create', session, project: project.id, agent, later: true });
  const isWhole = await attachConversation(channel, Number.POSITIVE_INFINITY, session, OLDER_MS);
  client.saveDraft(session, promptOf(row));
  showBeside(session);
  if (!isWhole) showNote('The beginning of the conversation couldn’t be read and is not attached.');
}

function promptOf(row: SessionRow): string {
  return `Continue “${titleOf(row)}” from ${row.machine}: the transcript is attached. Files may differ on this machine. Read the transcript, summarize in one sentence where we were, then continue.`;
}
