/** Completion options for the list. Only `findFiles` asks the server. */
import {
  COMMAND_CATEGORIES,
  type CommandCategory,
  type SessionInfo,
} from '@tugdeck/protocol/conversation/session-info';
import { fuzzyMatch, fuzzySort } from '@tugdeck/protocol/fuzzy';
import { z } from 'zod';
import { commandText, fileText } from '../../../../features/prompt/token.ts';
import { apiFetch } from '../../../../kit/api.ts';
import type { SavedPrompt } from '../../../../kit/prompts.ts';
import { visibleText } from '../../../../kit/visible-text.ts';

export interface Offer {
  readonly id: string;
  readonly kind: 'command' | 'file' | 'folder' | 'prompt';
  readonly label: string;
  /** Matched positions in the label. */
  readonly at: readonly number[];
  /** Who provides the command. */
  readonly category?: CommandCategory | undefined;
  /** The command's argument hint. */
  readonly hint?: string | undefined;
  readonly detail?: string | undefined;
  /** The text that replaces the typed token. */
  readonly text: string;
}

const MAX_COMMANDS = 60;

function rankOf(category: CommandCategory = 'agent'): number {
  return COMMAND_CATEGORIES.indexOf(category);
}

export function commandOffers(commands: SessionInfo['commands'], query: string): Offer[] {
  const found = fuzzySort(query, commands ?? [], ({ name }) => name);
  // With a query, matches decide the order; otherwise the category.
  const offered = query === '' ? found.sort((a, b) => rankOf(a.category) - rankOf(b.category)) : found;
  return offered.slice(0, MAX_COMMANDS).map(({ name, description, argumentHint, category, match }) => ({
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

/** Saved prompts (D49), after the commands. */
export function promptOffers(prompts: readonly SavedPrompt[], query: string): Offer[] {
  return fuzzySort(query, prompts, ({ name }) => name).map(({ name, text, match }) => ({
    id: `prompt ${name}`,
    kind: 'prompt',
    label: `/${visibleText(name)}`,
    at: match.at.map((place) => place + 1),
    detail: visibleText(text),
    text,
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

const answerSchema = z.object({
  files: z.array(z.object({ path: z.string(), kind: z.enum(['file', 'folder']) })),
});
export type ProjectFile = z.infer<typeof answerSchema>['files'][number];

/** Finds project files on the server, for completion. A newer request aborts an older one. */
export async function findFiles(project: string, query: string, signal: AbortSignal): Promise<ProjectFile[]> {
  const response = await apiFetch(`/api/files?${new URLSearchParams({ project, q: query })}`, { signal });
  if (!response.ok) throw new Error(`Couldn’t list the files (${response.status})`);
  return answerSchema.parse(await response.json()).files;
}

/** The element id of a list option, used by `aria-activedescendant`. */
export function optionId(list: string, at: number): string {
  return `${list}-${at}`;
}
