/**
 * Prepares tool items for display: kind, title, fields, diff, result. Pure functions of one item. The input contains
 * everything that says what is done, so that a card can show all of it (C6).
 */
import type { Field, FileDiff, ToolKind } from '@tugdeck/protocol/conversation/entries';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { commandLine } from '../kit/command-line.ts';
import { exactJson } from '../kit/exact-json.ts';
import { type Fields, listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import { inputFields } from '../kit/input-fields.ts';
import { ownProperty } from '../kit/own-property.ts';
import { firstLine, hunksOf, wholeFile } from './history-tools.ts';

export interface ToolView {
  readonly name: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly fields: Field[];
  readonly input: unknown;
  readonly diff?: FileDiff[];
}

/** Protocol fields, and fields that come only at the end. */
const NOT_INPUT = new Set([
  ...['id', 'type', 'status', 'startedAtMs', 'completedAtMs', 'durationMs', 'processId', 'source'],
  ...[
    'aggregatedOutput',
    'exitCode',
    'result',
    'error',
    'results',
    'contentItems',
    'success',
    'agentsStates',
  ],
  ...['senderThreadId', 'pluginId', 'scriptPath', 'appContext', 'mcpAppUi', 'readOnlyHint', 'commandActions'],
]);

export function inputOf(item: Fields): Fields {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([key, value]) => !NOT_INPUT.has(key) && value !== null && value !== undefined,
    ),
  );
}

const AGENT_TOOLS: Readonly<Record<string, string>> = {
  spawnAgent: 'Subagent',
  sendInput: 'Message to a subagent',
  sendMessage: 'Message to a subagent',
  followupTask: 'More work for a subagent',
  resumeAgent: 'Go on with a subagent',
  wait: 'Wait for subagents',
  closeAgent: 'End a subagent',
  interruptAgent: 'Interrupt a subagent',
  listAgents: 'List subagents',
};

export function viewOf(item: Fields): ToolView {
  const type = textAt(item, 'type') ?? 'item';
  const input = inputOf(item);
  const view = (name: string, title: string, toolKind: ToolKind, fields = inputFields(input)): ToolView => ({
    name,
    title: firstLine(title) || name,
    toolKind,
    fields,
    input,
  });
  switch (type) {
    case 'commandExecution': {
      const command = textAt(item, 'command') ?? '';
      return view('shell', commandTitle(command), 'shell', commandFields(input));
    }
    case 'fileChange': {
      const diff = diffOf(item.changes);
      return { ...view('apply_patch', changesTitle(item.changes), 'edit', changeFields(item.changes)), diff };
    }
    case 'mcpToolCall': {
      const name = `${textAt(item, 'server') ?? ''}: ${textAt(item, 'tool') ?? ''}`;
      return view(name, name, 'other', argumentFields(item));
    }
    case 'dynamicToolCall': {
      const name = textAt(item, 'tool') ?? 'Tool';
      return view(name, name, 'other', argumentFields(item));
    }
    case 'webSearch':
      return view('web_search', searchTitle(item), 'fetch');
    case 'collabAgentToolCall': {
      const tool = textAt(item, 'tool') ?? '';
      const prompt = textAt(item, 'prompt');
      const title = ownProperty(AGENT_TOOLS, tool) ?? tool;
      const isSpawn = tool === 'spawnAgent';
      const { tool: _, receiverThreadIds: _ids, ...fields } = input;
      return view(tool, isSpawn && prompt ? prompt : title, isSpawn ? 'agent' : 'other', inputFields(fields));
    }
    case 'imageView':
      return view('view_image', `View ${textAt(item, 'path') ?? 'an image'}`, 'read');
    case 'sleep': {
      const ms = numberAt(item, 'durationMs') ?? 0;
      return view('sleep', `Wait ${ms / 1000} s`, 'other', []);
    }
    case 'imageGeneration':
      return view('image_generation', textAt(item, 'revisedPrompt') ?? 'Make an image', 'other');
    default:
      return view(type, type, 'other');
  }
}

/** Shells of the system. A program elsewhere with such a name is not one of them. */
const SHELL = /^(?:(?:\/usr(?:\/local)?)?\/bin\/)?(?:ba|z|da|k)?sh -l?c (?:'([\s\S]*)'|([^\s'"\\]+))$/;

/** The command inside `sh -c`. The card shows the whole command below. */
export function commandTitle(command: string): string {
  const [, quoted, plain] = SHELL.exec(command) ?? [];
  const inner = quoted ?? plain;
  // A quote that ends the argument makes it more than one word: shown unchanged.
  if (inner === undefined || inner.replaceAll(/'\\''|'"'"'/g, '').includes("'")) return command;
  return inner.replaceAll(/'\\''|'"'"'/g, "'");
}

/** The command first, as a shell would read it. */
export function commandFields(input: Fields): Field[] {
  return inputFields(input, (key, value) => {
    if (key === 'command' && typeof value === 'string') return { label: 'Command', value, form: 'code' };
    if (key === 'command' && Array.isArray(value))
      return { label: 'Command', value: commandLine(value), form: 'code' };
    return key === 'cwd' && typeof value === 'string'
      ? { label: 'Directory', value, form: 'path' }
      : undefined;
  });
}

function argumentFields(item: Fields): Field[] {
  const given = item.arguments;
  const inside = recordOf(given);
  if (Object.keys(inside).length > 0) return inputFields(inside);
  return given === undefined || given === null ? [] : inputFields({ arguments: given });
}

/** The paths, and as text whatever the diff can't show. */
function changeFields(changes: unknown): Field[] {
  return listOf(changes).flatMap((change): Field[] => {
    const [diff] = diffOf([change]);
    if (!diff) return [{ label: 'Change', value: exactJson(change), form: 'code' }];
    const { path, oldPath } = diff;
    const paths: Field[] =
      oldPath === undefined
        ? [{ label: 'File', value: path, form: 'path' }]
        : [
            { label: 'File', value: oldPath, form: 'path' },
            { label: 'Moved to', value: path, form: 'path' },
          ];
    if (!isKnownKind(recordOf(change)))
      return [...paths, { label: 'Change', value: exactJson(change), form: 'code' }];
    const text = textAt(change, 'diff') ?? '';
    return isDiff(recordOf(change)) ? paths : [...paths, { label: 'Change', value: text, form: 'code' }];
  });
}

function isKnownKind(change: Fields): boolean {
  const { type, move_path: moved, ...others } = recordOf(change.kind);
  const isMove = moved == null || typeof moved === 'string';
  return typeof type === 'string' && Object.hasOwn(DONE, type) && isMove && Object.keys(others).length === 0;
}

/** Whether the hunks contain every line of the text. */
function isDiff(change: Fields): boolean {
  if (recordOf(change.kind).type !== 'update') return true;
  const lines = withoutMove(change).replace(/\n+$/, '').split('\n');
  return (
    lines[0] === '' || (isHead(lines[0]) && lines.every((line) => isHead(line) || /^[-+ \\]/.test(line)))
  );
}

const isHead = (line: string | undefined) => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@$/.test(line ?? '');

/** A move is in the last line of the diff. */
function withoutMove(change: Fields): string {
  const [diff, moved] = [textAt(change, 'diff') ?? '', textAt(change.kind, 'move_path')];
  const line = `\n\nMoved to: ${moved}`;
  return moved !== undefined && diff.endsWith(line) ? diff.slice(0, -line.length) : diff;
}

const DONE: Readonly<Record<string, string>> = { add: 'Create', delete: 'Delete', update: 'Edit' };

function changesTitle(changes: unknown): string {
  const all = listOf(changes);
  if (all.length === 0) return 'Edit files';
  const verbs = new Set(
    all.map((change) => ownProperty(DONE, textAt(recordOf(change).kind, 'type') ?? '') ?? 'Edit'),
  );
  const paths = all.map((change) => textAt(change, 'path') ?? '');
  return `${verbs.size === 1 ? [...verbs][0] : 'Edit'} ${paths.join(', ')}`;
}

/** An added or deleted file has its plain content, others hunks without a header. */
export function diffOf(changes: unknown): FileDiff[] {
  return listOf(changes).flatMap((change): FileDiff[] => {
    const path = textAt(change, 'path');
    if (path === undefined) return [];
    const kind = recordOf(change).kind;
    const diff = textAt(change, 'diff') ?? '';
    const moved = textAt(kind, 'move_path');
    const type = textAt(kind, 'type');
    const isWhole = type === 'add' || type === 'delete';
    const text = withoutMove(recordOf(change));
    const hunks = isWhole ? (diff === '' ? [] : wholeFile({ type, content: diff })) : hunksOf(text);
    return [moved === undefined ? { path, hunks } : { path: moved, oldPath: path, hunks }];
  });
}

function searchTitle(item: Fields): string {
  const action = recordOf(item.action);
  const url = textAt(action, 'url');
  if (action.type === 'openPage' && url) return `Open ${url}`;
  if (action.type === 'findInPage') return `Find ${textAt(action, 'pattern') ?? ''} in ${url ?? 'a page'}`;
  return `Search: ${textAt(item, 'query') || textAt(action, 'query') || ''}`;
}

export function resultOf(item: Fields): ToolResult | undefined {
  switch (item.type) {
    case 'commandExecution': {
      const output = textAt(item, 'aggregatedOutput');
      const exitCode = numberAt(item, 'exitCode');
      if (output === undefined && exitCode === undefined) return undefined;
      return {
        type: 'terminal',
        stdout: output ?? '',
        stderr: '',
        ...(exitCode === undefined ? {} : { exitCode: Math.trunc(exitCode) }),
      };
    }
    case 'mcpToolCall':
      return contentResult(listOf(recordOf(item.result).content), recordOf(item.result).structuredContent);
    case 'dynamicToolCall':
      return contentResult(listOf(item.contentItems), undefined);
    case 'webSearch':
      return listOf(item.results).length === 0 ? undefined : { type: 'json', value: item.results };
    case 'collabAgentToolCall': {
      const messages = Object.values(recordOf(item.agentsStates)).flatMap(
        (state) => textAt(state, 'message') ?? [],
      );
      return messages.length === 0 ? undefined : { type: 'agent', text: messages.join('\n\n') };
    }
    case 'imageGeneration': {
      const data = textAt(item, 'result');
      if (data) return { type: 'image', mimeType: 'image/png', data };
      const path = textAt(item, 'savedPath');
      return path === undefined ? undefined : { type: 'text', text: path };
    }
    default:
      return undefined;
  }
}

function contentResult(content: readonly unknown[], structured: unknown): ToolResult | undefined {
  const image = content.find((part) => textAt(part, 'type') === 'image');
  const data = textAt(image, 'data');
  if (data) return { type: 'image', mimeType: textAt(image, 'mimeType') ?? 'image/png', data };
  const parts = content.map((part) => textAt(part, 'text') ?? JSON.stringify(part));
  if (parts.length > 0) return { type: 'text', text: parts.join('\n') };
  return structured === undefined || structured === null ? undefined : { type: 'json', value: structured };
}

/** The error text; for a command, output and exit code say it. */
export function errorOf(item: Fields): string | undefined {
  const message = textAt(item.error, 'message');
  if (message) return message;
  const result = resultOf(item);
  if (result?.type === 'text') return String(result.text);
  if (result?.type === 'terminal') return undefined;
  const failure = textAt(item.failure, 'type');
  return failure ?? 'It failed.';
}
