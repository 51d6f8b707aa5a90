/**
 * Determines which lines of a session file belong to the conversation: the parent chain of the newest line, plus
 * parallel tool uses beside it. Pure. Unknown line types are skipped.
 */

import { parseJson } from '@tugdeck/protocol/parse-json';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { untrustedText } from '../kit/untrusted-text.ts';

export type DiskLine = Readonly<Record<string, unknown>>;

/** Line types outside the thread, some very long: recognized by prefix, never parsed. */
const BOOKKEEPING =
  /^\{"type":"(queue-operation|api-request|api-request-shape|api-request-blob|atis-latch|tools-used|mode|file-history-snapshot|file-history-delta|agent-name)"/;

export function parseLine(text: string): DiskLine | undefined {
  if (text === '' || BOOKKEEPING.test(text)) return undefined;
  try {
    const line: unknown = parseJson(text);
    return typeof recordOf(line).type === 'string' ? recordOf(line) : undefined;
  } catch (error) {
    // The last line may be half written.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Subagents mentioned in the lines. */
export function subagentsOf(lines: readonly DiskLine[]): string[] {
  return lines.flatMap((line) => textAt(line.toolUseResult, 'agentId') ?? []);
}

export function threadOf(
  lines: readonly DiskLine[],
  until: string | undefined,
): { thread: DiskLine[]; whole: boolean } {
  const main = lines.filter((line) => line.isSidechain !== true && typeof line.uuid === 'string');
  const byId = new Map(main.map((line) => [untrustedText(line.uuid), line]));
  const taken = new Set<string>();
  const [messages, tools] = [new Set<string>(), new Set<string>()];
  let at = (until === undefined ? undefined : byId.get(until)) ?? main.at(-1);
  let whole = main.length === 0;
  while (at && !taken.has(untrustedText(at.uuid))) {
    taken.add(untrustedText(at.uuid));
    noteMessage(at, messages, tools);
    const parent = parentOf(at);
    whole = parent === undefined;
    at = parent === undefined ? undefined : byId.get(parent);
  }
  // Parallel tools: their uses and results branch off the thread.
  for (const line of main) {
    if (isPartOf(line, messages)) noteMessage(line, messages, tools);
  }
  return {
    thread: main.filter(
      (line) => taken.has(untrustedText(line.uuid)) || isPartOf(line, messages) || answersOne(line, tools),
    ),
    whole,
  };
}

export function parentOf(line: DiskLine): string | undefined {
  return textAt(line, 'parentUuid') ?? textAt(line, 'logicalParentUuid');
}

/** Records the message and tools of a model line, so that related lines can be found. */
export function noteMessage(line: DiskLine, messages: Set<string>, tools: Set<string>): void {
  if (line.type !== 'assistant') return;
  const message = recordOf(line.message);
  if (typeof message.id === 'string') messages.add(message.id);
  for (const block of listOf(message.content)) {
    const id = textAt(block, 'id');
    if (textAt(block, 'type') === 'tool_use' && id !== undefined) tools.add(id);
  }
}

export function isPartOf(line: DiskLine, messages: ReadonlySet<string>): boolean {
  return line.type === 'assistant' && messages.has(textAt(line.message, 'id') ?? '');
}

export function answersOne(line: DiskLine, tools: ReadonlySet<string>): boolean {
  return line.type === 'user' && resultsOf(line).some((id) => tools.has(id));
}

export function resultsOf(line: DiskLine): string[] {
  return listOf(recordOf(line.message).content).flatMap((block) =>
    textAt(block, 'type') === 'tool_result' ? (textAt(block, 'tool_use_id') ?? []) : [],
  );
}
