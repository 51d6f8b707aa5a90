/** What can be chosen, as the list draws it. Pure. */
import {
  COMMAND_CATEGORIES,
  type CommandCategory,
  type Facts,
} from '@tugdeck/protocol/conversation/session-facts';
import { fuzzyMatch, fuzzySort } from '@tugdeck/protocol/fuzzy';
import type { ProjectFile } from './find-files.ts';
import { commandText, fileText } from './token.ts';

export interface Offer {
  readonly id: string;
  readonly kind: 'command' | 'file' | 'folder';
  readonly label: string;
  /** Places of the label that matched. */
  readonly at: readonly number[];
  /** Of a command: whose it is. */
  readonly category?: CommandCategory | undefined;
  /** Of a command: what it wants after its name. */
  readonly hint?: string | undefined;
  readonly detail?: string | undefined;
  /** What takes the place of what was typed. */
  readonly text: string;
}

const MOST_COMMANDS = 60;

function rankOf(category: CommandCategory = 'agent'): number {
  return COMMAND_CATEGORIES.indexOf(category);
}

export function commandOffers(commands: Facts['commands'], query: string): Offer[] {
  const found = fuzzySort(query, commands ?? [], ({ name }) => name);
  // What was typed decides the order; before that, whose they are.
  const offered = query === '' ? found.sort((a, b) => rankOf(a.category) - rankOf(b.category)) : found;
  return offered.slice(0, MOST_COMMANDS).map(({ name, description, argumentHint, category, match }) => ({
    id: name,
    kind: 'command',
    label: `/${name}`,
    at: match.at.map((place) => place + 1),
    category,
    hint: argumentHint,
    detail: description,
    text: commandText(name),
  }));
}

export function fileOffers(files: readonly ProjectFile[], query: string): Offer[] {
  return files.map(({ path, kind }) => ({
    id: path,
    kind,
    label: path,
    at: fuzzyMatch(query, path)?.at ?? [],
    text: fileText(path, kind),
  }));
}
