/**
 * A tool's title as verb and object ("Run `npm test`", "Edit src/app.ts"), from its kind and fields; otherwise the
 * driver's title. Pure; knows no agent's tools.
 */
import type { Field, ToolEntry, ToolKind } from '@tugdeck/protocol/conversation/entries';
import { relativePath, withoutDirectory } from '../conversation/project-paths.ts';

export interface ToolTitle {
  readonly verb: string;
  readonly object?: string | undefined;
  /** The object is code, such as a command or pattern. */
  readonly isCode: boolean;
  /** The full title, with full paths. */
  readonly full: string;
}

type Titled = Pick<ToolEntry, 'title' | 'name' | 'toolKind' | 'fields' | 'diff' | 'result'>;

const VERBS: Readonly<Partial<Record<ToolKind, string>>> = {
  shell: 'Run',
  edit: 'Edit',
  read: 'Read',
  search: 'Search',
  fetch: 'Fetch',
};

export function toolTitle(entry: Titled, directory: string | undefined): ToolTitle {
  const verb = verbOf(entry);
  const subject = subjectOf(entry);
  if (verb === undefined || subject === undefined) {
    const title = ownTitle(entry);
    const words = withoutDirectory(title, directory);
    const needsVerb =
      verb !== undefined && !startsWithVerb(title, verb) && title !== entry.name && !isSentence(entry, title);
    return needsVerb
      ? { verb, object: words, isCode: entry.toolKind === 'shell', full: `${verb} ${title}` }
      : { verb: words, isCode: false, full: title };
  }
  const { text, isPath } = subject;
  const shown = isPath ? relativePath(text, directory) : withoutDirectory(text, directory);
  return {
    verb,
    object: oneLine(shown),
    isCode: !isPath && entry.toolKind !== 'fetch',
    full: `${verb} ${text}`,
  };
}

/** Removes the tool's name from "Edit: src/app.ts": the verb says it. */
function ownTitle({ title, name, toolKind }: Titled): string {
  const prefix = `${name}: `;
  const isNamed = VERBS[toolKind] !== undefined || toolKind === 'agent';
  return isNamed && title.startsWith(prefix) ? title.slice(prefix.length) : title || name;
}

/** Titles such as "Look around in the project" already have a verb; a command is not a sentence. */
function isSentence({ toolKind }: Titled, title: string): boolean {
  return toolKind !== 'shell' && /^\p{Lu}\p{Ll}+ \p{Ll}/u.test(title);
}

function startsWithVerb(title: string, verb: string): boolean {
  return title.toLowerCase().startsWith(verb.toLowerCase());
}

function verbOf({ toolKind, diff }: Titled): string | undefined {
  const isNew = diff?.length && diff.every(({ hunks }) => hunks.every((hunk) => hunk.oldLines === 0));
  return toolKind === 'edit' && isNew ? 'Write' : VERBS[toolKind];
}

function subjectOf(entry: Titled): { text: string; isPath: boolean } | undefined {
  const fields = entry.fields ?? [];
  const first = (form: Field['form']) => textOf(fields.find((field) => field.form === form));
  const path = entry.diff?.[0]?.path ?? first('path');
  switch (entry.toolKind) {
    case 'edit':
    case 'read':
      return path === undefined ? undefined : { text: path, isPath: true };
    case 'shell':
    case 'search':
      return code(first('code'));
    case 'fetch':
      return code(first('url'));
    default:
      return undefined;
  }
}

function code(text: string | undefined): { text: string; isPath: boolean } | undefined {
  return text === undefined ? undefined : { text, isPath: false };
}

function textOf(field: Field | undefined): string | undefined {
  const text = typeof field?.value === 'string' ? field.value : field?.value.head;
  return text?.trim() ? text.trim() : undefined;
}

function oneLine(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return rest.length > 0 ? `${first} …` : first;
}
