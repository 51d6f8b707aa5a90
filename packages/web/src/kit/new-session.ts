/**
 * New session (D43): a composer on the stage. The session behind it starts no agent until something is typed, and is
 * listed once it has a message, so none is left over (decision 0236).
 */
import type { Client } from '@tugdeck/client/client';
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { closeCard } from './close-card.ts';
import { type CreateOptions, createSession, faultText } from './deck-actions.ts';
import { focusCard } from './layout/focus-card.ts';
import { activeProject, openCard } from './layout/open-card.ts';
import { defaultProject } from './machines.ts';
import { isUnstarted, usableAgent } from './projects.ts';
import { showSession } from './route.ts';
import { openShellDialog } from './shell-dialog.ts';
import { showFault } from './undo.ts';

export interface NewSessionChoice {
  /** Default: the project in front, otherwise the last one. */
  readonly project?: string | undefined;
  /** Default: the agent of the settings. */
  readonly agent?: string | undefined;
  /** An unstarted session that the new one replaces: its text moves along. */
  readonly instead?: { readonly session: string; readonly text: string };
  /** Default: brings its composer to the front. */
  readonly show?: (session: string) => void;
}

/** Shows the composer of a new session. Errors are shown at the bottom of the page. */
export async function newSession(client: Client, choice: NewSessionChoice = {}): Promise<void> {
  const deck = client.deck.get();
  if (!deck) return;
  const project = choice.project ?? projectInFront(deck) ?? defaultProject(deck)?.id;
  if (project === undefined) return openShellDialog({ kind: 'project' });
  const agent = choice.agent ?? usableAgent(deck, project);
  if (agent === undefined) return showFault('No agents installed. Add one in Settings.');
  const { instead, show } = choice;
  try {
    await composeSession(client, project, agent, {
      show: instead ? (session) => replace(client, instead, session) : show,
    });
  } catch (error) {
    showFault(faultText(error));
  }
}

/** Shows the unstarted session of the project and agent, which keeps its draft; otherwise creates one. */
export async function composeSession(
  client: Client,
  project: string,
  agent: string,
  { isWanted, show = showSession }: CreateOptions = {},
): Promise<void> {
  const known = unstartedSession(client.deck.get(), project, agent);
  if (known) show(known.id);
  else await createSession(client, project, agent, { isWanted, show });
}

/** Moves the text, and puts the new composer where the other one was. */
function replace(
  client: Client,
  { session: old, text }: NonNullable<NewSessionChoice['instead']>,
  session: string,
) {
  if (old === session) return;
  if (text !== '') client.saveDraft(session, text);
  client.saveDraft(old, '');
  // Opened here instead of by the URL, which updates later: closing the old card would first activate its neighbor.
  const card = openCard('conversation', { session }, 'tab');
  closeCard(old);
  if (card !== undefined) focusCard(card);
}

export function unstartedSession(
  deck: Deck | undefined,
  project: string,
  agent: string,
): SessionRow | undefined {
  return (
    deck?.sessions
      .filter((row) => row.project === project && row.agent === agent && !row.archived)
      // One in a workspace works in another folder; one whose workspace could not be created has its message.
      .filter(({ workspace }) => workspace === undefined || isFailed(deck, workspace))
      .filter((row) => row.trashedAt === undefined && isUnstarted(row))
      .sort((a, b) => b.activeAt - a.activeAt)[0]
  );
}

function projectInFront({ sessions }: Deck): string | undefined {
  return activeProject((session) => sessions.find(({ id }) => id === session)?.project);
}

function isFailed({ workspaces }: Deck, workspace: string): boolean {
  return workspaces?.find(({ id }) => id === workspace)?.state === 'failed';
}
