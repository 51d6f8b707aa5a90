/**
 * Everything known about one tool call, and its derived view and state. Plain data and pure functions; tools.ts keeps
 * the records and emits changes.
 */
import type { ToolState } from '@tugdeck/protocol/conversation/entries';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { stableText } from '@tugdeck/protocol/ids';
import {
  diffOf,
  fieldsOf,
  type resultOf,
  type Texts,
  type ToolInfo,
  textsOf,
  toolKindOf,
} from './tool-display.ts';
import type { ToolPatch } from './wire.ts';

export interface Tool extends ToolInfo {
  readonly id: string;
  readonly entry: string;
  readonly status: string;
  readonly texts: readonly Texts[];
  readonly terminals: readonly string[];
  /** Number of open requests about it. */
  readonly pendingRequests: number;
  readonly denied: boolean;
  /** A question or plan tool: a request entry is shown instead. */
  readonly held: boolean;
  readonly turn: string | undefined;
  readonly shown: Readonly<Record<string, string>>;
  readonly closed: boolean;
}

const HELD_NAMES = new Set(['AskUserQuestion', 'request_user_input', 'ask_user', 'question']);

export function freshTool(id: string, turn: string | undefined): Tool {
  return {
    id,
    entry: '',
    name: undefined,
    title: '',
    kind: undefined,
    status: 'pending',
    content: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    output: undefined,
    exitCode: undefined,
    texts: [],
    terminals: [],
    pendingRequests: 0,
    denied: false,
    held: false,
    turn,
    shown: {},
    closed: false,
  };
}

/** Applies a patch; `content` and `locations` replace the previous values. */
export function merged(tool: Tool, patch: ToolPatch): Tool {
  const content = patch.content ?? tool.content;
  const name = patch.name ?? tool.name;
  const terminals = content.flatMap(({ type, terminalId }) =>
    type === 'terminal' && terminalId ? [terminalId] : [],
  );
  return {
    ...tool,
    name,
    content,
    terminals: terminals.length > 0 ? terminals : tool.terminals,
    texts: patch.content ? textsOf(patch.content, tool.texts) : tool.texts,
    title: patch.title || tool.title,
    kind: patch.kind ?? tool.kind,
    status: patch.status ?? tool.status,
    locations: patch.locations ?? tool.locations,
    rawInput: patch.rawInput === undefined ? tool.rawInput : patch.rawInput,
    rawOutput: patch.rawOutput === undefined ? tool.rawOutput : patch.rawOutput,
  };
}

export function todoState(status: string | null | undefined): Todo['state'] {
  if (status === 'completed') return 'done';
  return status === 'in_progress' ? 'active' : 'pending';
}

export function isHeld({ name, kind }: Tool): boolean {
  return kind === 'switch_mode' || HELD_NAMES.has(name ?? '');
}

export function isOver(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || stableText(value) === '{}';
}

export function hasExit(result: ReturnType<typeof resultOf>): boolean {
  return result?.type === 'terminal' && result.exitCode !== undefined;
}

export function nameOf({ name, title, kind }: Tool): string {
  return name ?? kind ?? title;
}

export function stateOf({ pendingRequests, denied, status }: Tool): ToolState {
  if (pendingRequests > 0) return 'waiting';
  if (denied) return 'denied';
  return status === 'pending' ? 'preparing' : 'running';
}

export function viewOf(tool: Tool) {
  const diff = diffOf(tool.texts);
  return {
    title: tool.title || tool.name || tool.kind || 'Tool',
    toolKind: toolKindOf(tool),
    state: stateOf(tool),
    fields: fieldsOf(tool),
    ...(tool.rawInput === undefined || tool.rawInput === null ? {} : { input: tool.rawInput }),
    ...(diff.length === 0 ? {} : { diff }),
  };
}

/** Serialized fields, to detect changes. */
export function textsOfView(view: object): Record<string, string> {
  return Object.fromEntries(Object.entries(view).map(([key, value]) => [key, stableText(value)]));
}
