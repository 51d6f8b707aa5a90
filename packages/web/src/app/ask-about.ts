/**
 * From a card into the message that is being written: the mention of a file, lines of it, what a terminal shows. It goes to the conversation of
 * the project that was used last; where that one is drawn, as if it had been typed, else into its draft.
 */
import type { Client } from '@tugdeck/client/client';
import { fileText } from '../cards/conversation/composer/completion/token.ts';
import { fillBox } from '../cards/conversation/composer/fill-box.ts';
import { layout } from './dock/dock.ts';
import { type DockCard, groupsOf } from './dock/layout.ts';
import { findCard, openCard, showCard } from './dock/open-card.ts';
import { lastActive } from './projects.ts';

export interface FilePlace {
  readonly project: string;
  readonly path: string;
}

export interface Lines {
  readonly fromLine: number;
  readonly toLine: number;
  readonly text: string;
}

const MOST = 8_000;

export function mention(client: Client, { project, path }: FilePlace): boolean {
  return write(client, project, fileText(path, 'file'));
}

export function askAbout(
  client: Client,
  { project, path }: FilePlace,
  { fromLine, toLine, text }: Lines,
): boolean {
  const where = fromLine === toLine ? `line ${fromLine}` : `lines ${fromLine}-${toLine}`;
  const shown = text.length > MOST ? `${text.slice(0, MOST)}\n…` : text;
  return write(client, project, `${fileText(path, 'file')}${where}:\n${fenced(shown)}`);
}

/** Text of a terminal, say: as it is, and the user goes on below. */
export function quote(client: Client, project: string, text: string): boolean {
  return write(client, project, fenced(text));
}

/** In a fence longer than any in the text, so that the text cannot end it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}\n`;
}

/** Whether there was a conversation to write to. */
function write(client: Client, project: string, text: string): boolean {
  const session = currentSession(client, project);
  if (session === undefined) return false;
  const card = findCard(layout.get(), 'conversation', { session });
  const box =
    card && document.getElementById(`card-${card.id}`)?.querySelector('textarea[aria-label="Message"]');
  if (card && box instanceof HTMLTextAreaElement) {
    showCard(card.id);
    // Not by the browser's own typing: that goes wherever the focus is, and the card may not be in front yet.
    fillBox(box, joined(box.value, text));
    return true;
  }
  client.saveDraft(session, joined(client.draft(session), text));
  const id = openCard('conversation', { session });
  if (id !== undefined) showCard(id);
  return true;
}

function joined(before: string, text: string): string {
  return before === '' || /\s$/.test(before) ? before + text : `${before} ${text}`;
}

/** The one in front, else the one that was active last. */
function currentSession(client: Client, project: string): string | undefined {
  const deck = client.deck.get();
  if (!deck) return undefined;
  const isOfProject = (card: DockCard | undefined) =>
    card?.kind === 'conversation' &&
    deck.sessions.some(({ id, project: of }) => id === card.params.session && of === project);
  const now = layout.get();
  const inFront = groupsOf(now)
    .map(({ front }) => now.cards.find(({ id }) => id === front))
    .find(isOfProject);
  return inFront?.params.session ?? lastActive(deck, project)?.id;
}
