/** Rows of the card picker: a new session per agent, then all other card kinds for the current project. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { type LucideIcon, MessageSquarePlus } from 'lucide-react';
import type { CardKind, CardParams } from '../../kit/card-kinds.ts';
import { focusCard } from '../../kit/layout/focus-card.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { activeProject, openCard, type Where } from '../../kit/layout/open-card.ts';
import { agentsIn, defaultProject } from '../../kit/machines.ts';
import { folderOf, placeOfSession, projectOfPlace } from '../../kit/place.ts';
import { CARD_KINDS } from '../card-kinds.ts';

export interface PickerRow {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly letter: string | undefined;
  readonly icon: LucideIcon;
  /** Why it cannot be opened now. */
  readonly why: string | undefined;
  readonly run: () => Promise<void> | void;
}

export function pickerRows(client: Client, deck: Deck, group: string | undefined): readonly PickerRow[] {
  const where: Where | undefined = group === undefined ? undefined : { group };
  const project = currentProject(deck);
  const { agents: all, defaultAgent } = agentsIn(deck, project && projectOfPlace(deck, project.id));
  const agents = all.filter(({ installed }) => installed);
  const sessions = agents.map((agent, at): PickerRow => {
    const isDefault = agent.name === defaultAgent || (agents.length === 1 && at === 0);
    return {
      id: `session-${agent.name}`,
      label: `New session: ${agent.label}`,
      detail: project?.name ?? '',
      letter: isDefault ? 'c' : at < 9 ? String(at + 1) : undefined,
      icon: MessageSquarePlus,
      why: project ? undefined : 'Add a project first',
      run: async () => {
        if (!project) return;
        const session = newId();
        await client.request({ type: 'session.create', session, project: project.id, agent: agent.name });
        show(openCard('conversation', { session }, where));
      },
    };
  });
  const session = frontSession.get();
  const kinds = CARD_KINDS.map((kind): PickerRow => {
    const params = paramsFor(kind, project?.id, session);
    return {
      id: kind.kind,
      label: kind.label,
      detail: kind.needs === 'project' ? (project?.name ?? '') : '',
      letter: kind.letter.toLowerCase(),
      icon: kind.icon,
      why: params ? undefined : kind.needs === 'session' ? 'Open a session first' : 'Add a project first',
      run: () => show(params && openCard(kind.kind, params, where)),
    };
  });
  return [...sessions, ...kinds];
}

/** Params of a new card of that kind; undefined if the required project or session is missing. */
export function paramsFor(
  kind: Pick<CardKind, 'needs'>,
  project: string | undefined,
  session: string | undefined,
): CardParams | undefined {
  if (kind.needs === 'nothing') return {};
  if (kind.needs === 'project') return project === undefined ? undefined : { project };
  if (session === undefined) return undefined;
  return project === undefined ? { session } : { project, session };
}

/** The project or workspace of the session in front, else of the front card, else the last project added. */
export function currentProject(
  deck: Deck,
): { readonly id: string; readonly name: string; readonly path: string } | undefined {
  const placeIn = (session: string | undefined) => placeOfSession(deck, session);
  const id = placeIn(frontSession.get()) ?? activeProject(placeIn);
  const folder = folderOf(deck, id);
  return id !== undefined && folder ? { id, name: folder.name, path: folder.path } : defaultProject(deck);
}

function show(card: string | undefined): void {
  if (card !== undefined) focusCard(card);
}
