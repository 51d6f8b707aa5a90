/**
 * Prepares a tool use for display: kind, title, fields, diff. The only place that knows the agent's tools by name;
 * views depend on our kinds.
 */
import type { Field, FileDiff, ToolKind } from '@tugdeck/protocol/conversation/entries';
import type { ToolVariant } from '@tugdeck/protocol/conversation/tool-variants';
import { exactMember } from '../kit/exact-json.ts';
import { fieldForm } from '../kit/field-form.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { ownProperty } from '../kit/own-property.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'shell',
  Monitor: 'shell',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  Glob: 'search',
  Grep: 'search',
  ToolSearch: 'search',
  LSP: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'agent',
  Task: 'agent',
  TodoWrite: 'todo',
  TaskCreate: 'todo',
  TaskUpdate: 'todo',
  TaskList: 'todo',
  TaskGet: 'todo',
  EnterPlanMode: 'think',
};

/** Tools with a more specific icon. */
const VARIANTS: Readonly<Record<string, ToolVariant>> = { Write: 'write', Glob: 'find-files' };

export function toolVariant(name: string): { variant?: ToolVariant } {
  const variant = ownProperty(VARIANTS, name);
  return variant === undefined ? {} : { variant };
}

/** Question and plan tools, which never have a `tool` entry (M13). */
export const QUESTION_TOOL = 'AskUserQuestion';
export const PLAN_TOOL = 'ExitPlanMode';

export function isRequestTool(name: string): boolean {
  return name === QUESTION_TOOL || name === PLAN_TOOL;
}

export function toolKind(name: string): ToolKind {
  return ownProperty(KINDS, name) ?? 'other';
}

const TITLE = 200;

/** One-line title; only the tool's name until its input is known. */
export function toolTitle(name: string, input: unknown): string {
  const about = subject(name, input);
  const title = about ? `${shownName(name)}: ${about}` : shownName(name);
  const line = title.replace(/\s+/g, ' ').trim();
  return line.length <= TITLE ? line : `${line.slice(0, TITLE - 1)}…`;
}

/** Shows `mcp__server__tool` as "server · tool". */
export function shownName(name: string): string {
  const parts = /^mcp__(.+?)__(.+)$/.exec(name);
  return parts ? `${parts[1]} · ${parts[2]}` : name;
}

function subject(name: string, input: unknown): string | undefined {
  const at = (key: string): string | undefined => textAt(input, key);
  switch (toolKind(name)) {
    case 'shell':
      return at('command');
    case 'edit':
    case 'read':
      return at('file_path') ?? at('notebook_path');
    case 'search':
      return at('pattern') ?? at('query');
    case 'fetch':
      return at('url') ?? at('query');
    case 'agent':
      return at('description');
    case 'todo':
      return (
        at('subject') ??
        (at('taskId') ? `#${at('taskId')}${at('status') ? ` ${at('status')}` : ''}` : undefined)
      );
    default:
      return at('skill') ?? at('description') ?? at('file_path') ?? at('query');
  }
}

const LABELS: Readonly<Record<string, string>> = {
  file_path: 'File',
  notebook_path: 'Notebook',
  command: 'Command',
  description: 'Description',
  pattern: 'Pattern',
  path: 'Path',
  url: 'Address',
  query: 'Query',
  prompt: 'Prompt',
  content: 'Content',
  old_string: 'Replace',
  new_string: 'With',
  subagent_type: 'Agent',
};

export function toolFields(input: unknown): Field[] {
  return Object.entries(recordOf(input))
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => ({
      label: ownProperty(LABELS, key) ?? key.replace(/_/g, ' ').replace(/^./, (first) => first.toUpperCase()),
      value: typeof value === 'string' ? value : exactMember(recordOf(input), key, 2),
      form: typeof value === 'object' ? 'code' : fieldForm(key),
    }));
}

/** The change described by an input, without the file: line numbers are relative to the text. */
export function inputDiff(name: string, input: unknown): FileDiff[] | undefined {
  const path = textAt(input, 'file_path') ?? textAt(input, 'notebook_path');
  if (path === undefined) return undefined;
  if (name === 'Write') {
    const content = textAt(input, 'content');
    return content === undefined ? undefined : [newFile(path, content)];
  }
  if (name === 'NotebookEdit') return notebookDiff(path, input);
  if (name === 'Edit') return diffOfEdits(path, [input]);
  if (name === 'MultiEdit') return diffOfEdits(path, listOf(recordOf(input).edits));
  return undefined;
}

export function newFile(path: string, content: string): FileDiff {
  const lines = linesOf(content);
  if (lines.length === 0) return { path, hunks: [] };
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length };
  return { path, hunks: [{ ...hunk, lines: lines.map((line) => `+${line}`) }] };
}

/** The change of one notebook cell. The old source is known only from the result. */
export function notebookDiff(path: string, edit: unknown): FileDiff[] | undefined {
  const isDeleted = textAt(edit, 'edit_mode') === 'delete';
  return diffOfEdits(path, [
    {
      old_string: textAt(edit, 'old_source') ?? '',
      new_string: isDeleted ? '' : (textAt(edit, 'new_source') ?? ''),
    },
  ]);
}

function diffOfEdits(path: string, edits: readonly unknown[]): FileDiff[] | undefined {
  const hunks = edits.flatMap((edit) => {
    const before = linesOf(textAt(edit, 'old_string') ?? '');
    const after = linesOf(textAt(edit, 'new_string') ?? '');
    if (before.length + after.length === 0) return [];
    return [
      {
        oldStart: before.length === 0 ? 0 : 1,
        oldLines: before.length,
        newStart: after.length === 0 ? 0 : 1,
        newLines: after.length,
        lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
      },
    ];
  });
  return hunks.length === 0 ? undefined : [{ path, hunks }];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
