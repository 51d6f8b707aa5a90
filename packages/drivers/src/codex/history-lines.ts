/**
 * Parses the agent's session files ("rollouts"): an envelope with a time and a payload. Pure. Recorded with 0.166;
 * older files lack `ordinal`, ids and `item_completed`, so nothing relies on them.
 */

import { parseJson } from '@tugdeck/protocol/parse-json';
import { type Fields, listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import { type LastTurn, timeOf } from '../kit/history.ts';
import { untrustedText } from '../kit/untrusted-text.ts';

export interface RolloutLine {
  readonly type: string;
  readonly at: number | undefined;
  readonly payload: Fields;
  /** Id of its entry. */
  readonly id: string;
}

/** Instructions, token counts and so on: long, recognized by prefix, never parsed. */
const UNUSED =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(?:world_state|token_usage_record|ghost_snapshot)"/;

export function parseLine(text: string): RolloutLine | undefined {
  if (text === '' || UNUSED.test(text)) return undefined;
  try {
    const line = recordOf(parseJson(text));
    const payload = recordOf(line.payload);
    if (typeof line.type !== 'string') return undefined;
    const id = textAt(payload, 'call_id') ?? textAt(payload, 'id') ?? `at-${untrustedText(line.timestamp)}`;
    return { type: line.type, at: timeOf(line.timestamp), payload, id };
  } catch (error) {
    // The last line may be half written.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text of a message, reasoning summary or output. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textAt(part, 'text') ?? '')
    .join('');
}

/** User messages that the program generates. */
const INJECTED =
  /^\s*(<(environment_context|user_instructions|turn_aborted|skill|skills_instructions|permissions|collaboration_mode|user_shell_command|subagent_notification|INSTRUCTIONS)\b|# AGENTS\.md instructions)/;

/** The user's text; undefined for anything else. */
export function promptOf({ type, payload }: RolloutLine): string | undefined {
  if (type !== 'response_item' || payload.type !== 'message' || payload.role !== 'user') return undefined;
  const text = wordsOf(payload.content);
  return text === '' || INJECTED.test(text) ? undefined : text;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  /** The command line, for shell tools. */
  readonly command: string | undefined;
}

const CALLS = ['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call'];
const OUTPUTS = ['function_call_output', 'custom_tool_call_output', 'tool_search_output'];

export function toolCallOf({ type, payload }: RolloutLine): ToolCall | undefined {
  if (type !== 'response_item' || !CALLS.includes(untrustedText(payload.type))) return undefined;
  const input = payload.action ?? readJson(payload.arguments) ?? payload.input;
  const name = textAt(payload, 'name') ?? (payload.type === 'web_search_call' ? 'web_search' : 'shell');
  return { name, input, command: commandOf(input) };
}

export function isOutput({ type, payload }: RolloutLine): boolean {
  return type === 'response_item' && OUTPUTS.includes(untrustedText(payload.type));
}

function commandOf(input: unknown): string | undefined {
  const { cmd, command } = recordOf(input);
  if (typeof cmd === 'string') return cmd;
  if (typeof command === 'string') return command;
  const argv = listOf(command).filter((word) => typeof word === 'string');
  if (argv.length === 0) return undefined;
  return argv.length === 3 && /^-l?c$/.test(argv[1] ?? '') ? argv[2] : argv.join(' ');
}

/** A call that started subagents, and their threads. */
export function spawnIn({ type, payload }: RolloutLine): { call: string; threads: string[] } | undefined {
  const item = recordOf(payload.item);
  const call = textAt(item, 'id');
  if (type !== 'event_msg' || payload.type !== 'item_completed' || call === undefined) return undefined;
  if (item.type === 'CollabAgentToolCall' && item.tool === 'spawn_agent') {
    return { call, threads: listOf(item.receiver_thread_ids).filter((id) => typeof id === 'string') };
  }
  const thread = textAt(item, 'agent_thread_id');
  const isSpawn = item.type === 'SubAgentActivity' && item.kind === 'started' && thread !== undefined;
  return isSpawn ? { call, threads: [thread] } : undefined;
}

export interface ToolOutput {
  readonly text: string;
  readonly exitCode: number | undefined;
}

/** Old outputs are JSON with `output` and `metadata`, new ones text with a header. */
export function outputOf({ output }: Fields): ToolOutput {
  const text = typeof output === 'string' ? output : wordsOf(output);
  const read = recordOf(readJson(text));
  if (typeof read.output === 'string') {
    return { text: read.output, exitCode: numberAt(read.metadata, 'exit_code') };
  }
  const code = /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(text)?.[1];
  const head = /^Output:\n/m.exec(text);
  return {
    text: head ? text.slice(head.index + head[0].length) : text,
    exitCode: code === undefined ? undefined : Number(code),
  };
}

export function readJson(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const ENDS: ReadonlySet<unknown> = new Set(['task_complete', 'turn_complete', 'turn_aborted']);

/** Whether the last turn of the file is complete. */
export function lastTurn(lines: readonly string[]): LastTurn | undefined {
  let found: LastTurn | undefined;
  for (const text of lines) {
    const line = parseLine(text);
    if (line?.type === 'response_item') found = { isComplete: false };
    else if (line?.type === 'event_msg' && ENDS.has(line.payload.type)) found = { isComplete: true };
  }
  return found;
}
