/** Prepares a rollout's tools for display: kind, fields, diffs. Pure. */

import type { Field, FileDiff, Hunk, ToolKind } from '@tugdeck/protocol/conversation/entries';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { type Fields, listOf, recordOf, textAt, textOf } from '../kit/fields.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import type { ToolCall } from './history-lines.ts';

export function kindOf({ name, command }: ToolCall): ToolKind {
  if (name === 'apply_patch') return 'edit';
  if (name === 'update_plan') return 'todo';
  if (name === 'web_search') return 'fetch';
  if (name === 'view_image') return 'read';
  if (/agent/.test(name)) return 'agent';
  return command === undefined ? 'other' : 'shell';
}

export function titleOf(call: ToolCall): string {
  if (call.command !== undefined) return firstLine(call.command);
  const files = patchedFiles(textAt(call, 'input') ?? '');
  if (call.name === 'apply_patch' && files.length > 0) return `Edit ${files.join(', ')}`;
  const query = textAt(call.input, 'query');
  return query === undefined ? call.name : `${call.name}: ${firstLine(query)}`;
}

export function displayOf(call: ToolCall): Field[] {
  if (call.command !== undefined) return [{ label: 'command', value: call.command, form: 'code' }];
  if (typeof call.input === 'string') return [{ label: 'input', value: call.input, form: 'code' }];
  return Object.entries(recordOf(call.input))
    .slice(0, 12)
    .map(([label, value]) => ({
      label,
      value: typeof value === 'string' ? value : JSON.stringify(value),
      form: 'text',
    }));
}

function patchedFiles(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, file]) => file ?? '');
}

export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** `changes` of a finished edit: path to change. */
export function diffOf(changes: unknown): FileDiff[] {
  return Object.entries(recordOf(changes)).map(([path, value]) => {
    const change = recordOf(value);
    const moved = textAt(change, 'move_path');
    const hunks = typeof change.unified_diff === 'string' ? hunksOf(change.unified_diff) : wholeFile(change);
    return moved === undefined ? { path, hunks } : { path: moved, oldPath: path, hunks };
  });
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of diff.split('\n')) {
    const head = HUNK.exec(line);
    if (head) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1'] = head;
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      });
    } else if (line !== '') hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

export function wholeFile({ type, content }: Fields): Hunk[] {
  const text = textOf(content);
  if (text === undefined) return [];
  const isGone = type === 'delete';
  const lines = text.replace(/\n$/, '').split('\n');
  const [oldLines, newLines] = isGone ? [lines.length, 0] : [0, lines.length];
  const sign = isGone ? '-' : '+';
  return [
    {
      oldStart: isGone ? 1 : 0,
      oldLines,
      newStart: isGone ? 0 : 1,
      newLines,
      lines: lines.map((line) => sign + line),
    },
  ];
}

const STATES: Readonly<Record<string, Todo['state']>> = { in_progress: 'active', completed: 'done' };

export function todosOf(input: unknown): Todo[] | undefined {
  const plan = recordOf(input).plan;
  if (!Array.isArray(plan)) return undefined;
  return listOf(plan).map((value, index) => {
    const { step, status } = recordOf(value);
    return {
      id: String(index),
      text: untrustedText(step),
      state: STATES[untrustedText(status)] ?? 'pending',
    };
  });
}
