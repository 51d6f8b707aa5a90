/**
 * Prepares a tool call for display: kind, readable input fields, diff, result. Pure functions of the data received so
 * far. Depends on the protocol's kinds and the data's shape, not on the agent.
 */
import type { Field, FileDiff, ToolKind } from '@tugdeck/protocol/conversation/entries';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { commandLine } from '../kit/command-line.ts';
import { exactJson } from '../kit/exact-json.ts';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import { inputFields, limited } from '../kit/input-fields.ts';
import { ownProperty } from '../kit/own-property.ts';
import { rawText, toolBlocks, toolText, withoutFence } from './content.ts';
import { textDiff } from './diff.ts';
import type { Location, ToolContent } from './wire.ts';

export interface ToolInfo {
  readonly name: string | undefined;
  readonly title: string;
  readonly kind: string | undefined;
  readonly content: readonly ToolContent[];
  readonly locations: readonly Location[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** Terminal output, if there is any. */
  readonly output: string | undefined;
  readonly exitCode: number | undefined;
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  search: 'search',
  execute: 'shell',
  think: 'think',
  fetch: 'fetch',
};
const TODO_NAME = /^(todo_?(write|read)?|write_todos|update_plan|Task(Create|Update|List|Get))$/i;

export function toolKindOf({ kind, name, title, rawInput }: ToolInfo): ToolKind {
  const input = recordOf(rawInput);
  if (Array.isArray(input.todos) || TODO_NAME.test(name ?? title)) return 'todo';
  if (typeof input.subagent_type === 'string' || /^(Agent|Task)$/.test(name ?? '')) return 'agent';
  // A call to an MCP server is not a command, whatever kind the agent reports.
  if (typeof input.server === 'string' && typeof input.tool === 'string') return 'other';
  return ownProperty(KINDS, kind ?? 'other') ?? 'other';
}

/** The command line; some agents send an argument list. */
export function commandOf(rawInput: unknown): string | undefined {
  const command = recordOf(rawInput).command;
  if (typeof command === 'string') return command;
  const argv = listOf(command);
  return argv.length === 0 ? undefined : commandLine(argv);
}

export function fieldsOf(facts: ToolInfo): Field[] {
  const input = recordOf(facts.rawInput);
  const command = commandOf(facts.rawInput);
  const fields = inputFields(input, (key) =>
    key === 'command' && command !== undefined
      ? { label: 'Command', value: command, form: 'code' }
      : undefined,
  );
  if (fields.length > 0) return fields;
  if (typeof facts.rawInput === 'string') return [{ label: 'Input', value: facts.rawInput, form: 'code' }];
  if (Array.isArray(facts.rawInput))
    return [{ label: 'Input', value: exactJson(facts.rawInput), form: 'code' }];
  if (facts.kind === 'execute') return [{ label: 'Command', value: facts.title, form: 'code' }];
  return limited(facts.locations.map(({ path }) => ({ label: 'File', value: path, form: 'path' })));
}

export interface Texts {
  readonly path: string;
  readonly oldText: string | null | undefined;
  readonly newText: string;
}

/** Text pairs in a tool's content; a later one replaces an earlier one of the same path. */
export function textsOf(content: readonly ToolContent[], before: readonly Texts[] = []): Texts[] {
  const stated = content.flatMap(({ type, path, oldText, newText }): Texts[] =>
    type === 'diff' && typeof path === 'string' ? [{ path, oldText, newText: newText ?? '' }] : [],
  );
  if (stated.length === 0) return [...before];
  return stated.map((texts) => {
    const known = before.find(({ path }) => path === texts.path);
    return known && isFragment(texts, known) ? known : texts;
  });
}

/** Part of a known text pair: the whole one knows the line numbers. */
function isFragment(texts: Texts, whole: Texts): boolean {
  const [oldText, wholeOld] = [texts.oldText ?? '', whole.oldText ?? ''];
  if (oldText.length >= wholeOld.length || oldText === '') return false;
  return wholeOld.includes(oldText) && whole.newText.includes(texts.newText);
}

/** Cached: there are dozens of updates with the same text. */
const DIFFS = new WeakMap<Texts, FileDiff>();

export function diffOf(texts: readonly Texts[]): FileDiff[] {
  return texts.map((pair) => {
    const diff = DIFFS.get(pair) ?? textDiff(pair.path, pair.oldText, pair.newText);
    DIFFS.set(pair, diff);
    return diff;
  });
}

export function resultOf(facts: ToolInfo): ToolResult | undefined {
  const image = toolBlocks(facts.content).find(({ type }) => type === 'image');
  if (image?.data) return { type: 'image', mimeType: image.mimeType ?? 'image/png', data: image.data };
  const kind = toolKindOf(facts);
  const contentText = toolText(facts.content);
  if (kind === 'shell') return terminalResult(facts, contentText);
  const text = contentText === '' ? rawText(facts.rawOutput) : contentText;
  if (text === undefined || text === '') {
    const raw = facts.rawOutput;
    return raw === undefined || raw === null ? undefined : { type: 'json', value: raw };
  }
  const [where] = facts.locations;
  switch (kind) {
    case 'read': {
      if (!where) return { type: 'text', text };
      const { text: file, startLine } = withoutNumbers(withoutFence(text), where.line ?? 1);
      return { type: 'file', path: where.path, text: file, startLine };
    }
    case 'search':
      return { type: 'matches', files: facts.locations.map(({ path }) => path), text: withoutFence(text) };
    case 'agent':
      return { type: 'agent', text };
    default:
      return { type: 'text', text };
  }
}

function terminalResult(facts: ToolInfo, contentText: string): ToolResult | undefined {
  const raw = recordOf(facts.rawOutput);
  const shown = contentText === '' ? undefined : withoutFence(contentText);
  const stdout =
    facts.output ??
    textAt(raw, 'stdout') ??
    (typeof facts.rawOutput === 'string' ? facts.rawOutput : undefined) ??
    shown ??
    rawText(facts.rawOutput);
  const exitCode = facts.exitCode ?? numberAt(raw, 'exit_code') ?? numberAt(raw.metadata, 'exit');
  if (stdout === undefined && exitCode === undefined) return undefined;
  return {
    type: 'terminal',
    stdout: stdout ?? '',
    stderr: textAt(raw, 'stderr') ?? '',
    ...(exitCode === undefined ? {} : { exitCode: Math.trunc(exitCode) }),
  };
}

/** Removes line numbers, because the view has its own. */
function withoutNumbers(text: string, startLine: number): { text: string; startLine: number } {
  const lines = text.split('\n');
  const numbered = lines.map((line) => /^\s*(\d+)[\t→](.*)$/.exec(line));
  const whole = numbered.every((match, index) => match !== null || (lines[index] === '' && index > 0));
  if (!whole) return { text, startLine };
  return {
    text: numbered.map((match) => match?.[2] ?? '').join('\n'),
    startLine: Number(numbered[0]?.[1] ?? startLine),
  };
}

export function errorOf(facts: ToolInfo): string {
  const contentText = toolText(facts.content);
  return (
    (contentText === '' ? rawText(facts.rawOutput) : withoutFence(contentText)) ??
    facts.output ??
    'It failed.'
  );
}
