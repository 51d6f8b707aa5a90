/**
 * Prepares a tool's result for display (A5), from the structured result if present, otherwise from the content.
 * Unknown shapes fall back to JSON or text.
 */
import type { FileDiff, Hunk } from '@tugdeck/protocol/conversation/entries';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import { newFile, notebookDiff, toolKind } from './tool-display.ts';
import { plainText } from './wire.ts';

export interface ShownResult {
  readonly result?: ToolResult;
  readonly diff?: FileDiff[];
  readonly durationMs?: number;
}

export function shownResult(name: string, structured: unknown, content: unknown): ShownResult {
  const shape = recordOf(structured);
  const text = plainText(content);
  switch (name) {
    case 'Bash':
      // Subagent results have no structure.
      if (typeof shape.stdout === 'string') return { result: terminal(shape, text) };
      return { result: { type: 'terminal', stdout: text, stderr: '' } };
    case 'Read':
      return { result: file(shape.file, shape.type) ?? image(content) ?? { type: 'text', text } };
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return edited(shape, text);
    case 'NotebookEdit': {
      const path = textAt(shape, 'notebook_path');
      const diff = path === undefined || textAt(shape, 'error') ? undefined : notebookDiff(path, shape);
      return { result: { type: 'text', text }, ...(diff ? { diff } : {}) };
    }
    case 'Glob':
    case 'Grep':
      if (Array.isArray(shape.filenames)) return matches(shape);
      break;
    case 'Agent':
    case 'Task':
      if (Object.keys(shape).length > 0) return agent(shape, text);
      break;
  }
  const picture = image(content);
  if (picture) return { result: picture };
  if (text === '' || name.startsWith('mcp__') || toolKind(name) === 'other' || toolKind(name) === 'todo') {
    const value = shape.structuredContent ?? structured;
    if (value && typeof value === 'object' && !isTextBlocks(value))
      return { result: { type: 'json', value } };
  }
  return { result: { type: 'text', text } };
}

/** The error text, without tags meant for the model (A8). */
export function errorText(content: unknown): string {
  return plainText(content)
    .replace(/<\/?tool_use_error>/g, '')
    .trim();
}

function terminal(shape: Readonly<Record<string, unknown>>, text: string): ToolResult {
  const task = textAt(shape, 'backgroundTaskId');
  return {
    type: 'terminal',
    stdout: textAt(shape, 'stdout') || (task ? text : ''),
    stderr: textAt(shape, 'stderr') ?? '',
    ...(shape.interrupted === true ? { interrupted: true } : {}),
    ...(task === undefined ? {} : { task }),
    ...cutOf(shape),
  };
}

function cutOf(shape: Readonly<Record<string, unknown>>): { cut?: { size: number; path?: string } } {
  const [size, path] = [whole(numberAt(shape, 'persistedOutputSize')), textAt(shape, 'persistedOutputPath')];
  if (size === undefined || size < 0) return {};
  return { cut: { size, ...(path === undefined ? {} : { path }) } };
}

function file(value: unknown, type: unknown): ToolResult | undefined {
  if (type === 'image') {
    const data = textAt(value, 'base64');
    return data === undefined
      ? undefined
      : { type: 'image', mimeType: textAt(value, 'type') ?? 'image/png', data };
  }
  const text = textAt(value, 'content');
  const path = textAt(value, 'filePath');
  if (text === undefined || path === undefined) return undefined;
  const totalLines = whole(numberAt(value, 'totalLines'));
  return {
    type: 'file',
    path,
    text,
    startLine: whole(numberAt(value, 'startLine')) ?? 1,
    ...(totalLines === undefined ? {} : { totalLines }),
  };
}

function image(content: unknown): ToolResult | undefined {
  for (const block of listOf(content)) {
    const source = recordOf(block).source;
    const data = textAt(source, 'data');
    if (textAt(block, 'type') === 'image' && data !== undefined) {
      return { type: 'image', mimeType: textAt(source, 'media_type') ?? 'image/png', data };
    }
  }
  return undefined;
}

function edited(shape: Readonly<Record<string, unknown>>, text: string): ShownResult {
  const path = textAt(shape, 'filePath');
  const result: ToolResult = { type: 'text', text };
  if (path === undefined) return { result };
  const hunks = listOf(shape.structuredPatch).flatMap(hunk);
  const content = textAt(shape, 'content');
  if (hunks.length === 0 && shape.type === 'create' && content !== undefined) {
    return { result, diff: [newFile(path, content)] };
  }
  return { result, diff: [{ path, hunks }] };
}

function hunk(value: unknown): Hunk[] {
  const [oldStart, oldLines, newStart, newLines] = ['oldStart', 'oldLines', 'newStart', 'newLines'].map(
    (key) => whole(numberAt(value, key)),
  );
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) {
    return [];
  }
  const lines = listOf(recordOf(value).lines).filter((line): line is string => typeof line === 'string');
  return [{ oldStart, oldLines, newStart, newLines, lines }];
}

function matches(shape: Readonly<Record<string, unknown>>): ShownResult {
  const text = textAt(shape, 'content');
  const total = whole(numberAt(shape, 'numFiles'));
  const durationMs = numberAt(shape, 'durationMs');
  return {
    result: {
      type: 'matches',
      files: listOf(shape.filenames).filter((name): name is string => typeof name === 'string'),
      ...(text === undefined ? {} : { text }),
      ...(total === undefined ? {} : { total }),
    },
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

function agent(shape: Readonly<Record<string, unknown>>, text: string): ShownResult {
  const durationMs = numberAt(shape, 'totalDurationMs');
  const tokens = numberAt(shape, 'totalTokens');
  const toolUses = numberAt(shape, 'totalToolUseCount');
  return {
    result: {
      type: 'agent',
      text: plainText(listOf(shape.content).filter((block) => !isHarnessNote(block))) || text,
      ...(tokens === undefined ? {} : { tokens }),
      ...(toolUses === undefined ? {} : { toolUses }),
      ...(durationMs === undefined ? {} : { durationMs }),
    },
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The agent's notes to the model around a subagent's report. */
function isHarnessNote(block: unknown): boolean {
  return /^<tools-used-before-summary>.*<\/tools-used-before-summary>\s*$/.test(textAt(block, 'text') ?? '');
}

function isTextBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => textAt(block, 'type') === 'text');
}

function whole(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) ? value : undefined;
}
