/**
 * Adds a mention of a file, lines of a file or terminal output to the prompt being written, in the project's current
 * conversation or, if it has none, in the composer of a new session. If its card is open, the text is typed into the
 * composer, otherwise it goes into the draft.
 */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { layout } from '../../kit/layout/dock.ts';
import { type DockCard, groupsOf } from '../../kit/layout/layout.ts';
import { findCard, openCard, showCard } from '../../kit/layout/open-card.ts';
import { newSession } from '../../kit/new-session.ts';
import { placeOf } from '../../kit/place.ts';
import { isUnstarted } from '../../kit/projects.ts';
import { fillBox } from './fill-box.ts';
import { fileText } from './token.ts';

export interface FilePlace {
  readonly project: string;
  readonly path: string;
}

export interface Lines {
  readonly fromLine: number;
  readonly toLine: number;
  readonly text: string;
}

const MAX_QUOTE = 8_000;

export function mentionFile(client: Client, { project, path }: FilePlace): void {
  write(client, project, fileText(path, 'file'));
}

export function quoteLines(
  client: Client,
  { project, path }: FilePlace,
  { fromLine, toLine, text }: Lines,
): void {
  const where = fromLine === toLine ? `line ${fromLine}` : `lines ${fromLine}-${toLine}`;
  const shown = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}\n…` : text;
  write(client, project, `${fileText(path, 'file')}${where}:\n${fenced(shown)}`);
}

/** Quotes text, such as terminal output, in a code fence. */
export function quoteText(client: Client, project: string, text: string, session?: string): void {
  if (session === undefined) write(client, project, fenced(text));
  else add(client, session, fenced(text));
}

/** Uses a fence longer than any in the text, so that the text cannot close it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}\n`;
}

/** Adds text to the message of a session. */
export function addToPrompt(client: Client, session: string, text: string): void {
  add(client, session, text);
}

function write(client: Client, project: string, text: string): void {
  const session = currentSession(client, project);
  if (session !== undefined) add(client, session, text);
  else void newSession(client, { project, show: (created) => add(client, created, text) });
}

function add(client: Client, session: string, text: string): void {
  const card = findCard(layout.get(), 'conversation', { session });
  const box =
    card && document.getElementById(`card-${card.id}`)?.querySelector('textarea[aria-label="Message"]');
  if (card && box instanceof HTMLTextAreaElement) {
    showCard(card.id);
    // Not with `execCommand`, which types wherever the focus is: the card may not be in front yet.
    fillBox(box, joined(box.value, text));
    return;
  }
  client.saveDraft(session, joined(client.draft(session), text));
  const id = openCard('conversation', { session });
  if (id !== undefined) showCard(id);
}

function joined(before: string, text: string): string {
  return before === '' || /\s$/.test(before) ? before + text : `${before} ${text}`;
}

/** The session in front, otherwise the one active last; a new one without a message counts while its card is open. */
function currentSession(client: Client, project: string): string | undefined {
  const deck = client.deck.get();
  if (!deck) return undefined;
  const isOfProject = (card: DockCard | undefined) =>
    card?.kind === 'conversation' &&
    deck.sessions.some((row) => row.id === card.params.session && placeOf(row) === project);
  const now = layout.get();
  const inFront = groupsOf(now)
    .map(({ front }) => now.cards.find(({ id }) => id === front))
    .find(isOfProject);
  if (inFront) return inFront.params.session;
  const isOpen = ({ id }: SessionRow) => findCard(now, 'conversation', { session: id }) !== undefined;
  return deck.sessions
    .filter((row) => placeOf(row) === project && !row.archived && row.trashedAt === undefined)
    .filter((row) => row.origin !== 'foreign' && (!isUnstarted(row) || isOpen(row)))
    .sort((a, b) => b.activeAt - a.activeAt)[0]?.id;
}
