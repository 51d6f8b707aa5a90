/**
 * The agent's own session file as our changes (A40, A42), without starting it: the thread by parents from its
 * newest line back, what branched off a tool beside it, subagents nested. Pure: lines in, changes out; the same
 * translator as live makes entries of them. Line types that nobody knows are passed over.
 */
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { Output, Told } from '../kit/port.ts';
import { isInterruptMarker } from './line-texts.ts';
import { Translator } from './translate.ts';
import { listOf, plainText, recordOf, textAt } from './wire.ts';

export type DiskLine = Readonly<Record<string, unknown>>;

export interface History {
  readonly conversation: Conversation;
  /** The changes it was folded from. */
  readonly told: readonly Told[];
  /** The thread begins with its first line; else there is more before it in the file. */
  readonly whole: boolean;
}

/** Lines without a place in the thread, some of them very long: known by their beginning, never parsed. */
const BOOKKEEPING =
  /^\{"type":"(queue-operation|api-request|api-request-shape|api-request-blob|atis-latch|tools-used|mode|file-history-snapshot|file-history-delta|agent-name)"/;

export function parseLine(text: string): DiskLine | undefined {
  if (text === '' || BOOKKEEPING.test(text)) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    return typeof recordOf(line).type === 'string' ? recordOf(line) : undefined;
  } catch (error) {
    // The last line may be half written.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * `sidechains`: the lines of subagents' own files, by the id of the subagent. `until`: the uuid of the last line
 * to take, where it is not the newest.
 */
export function readHistory(
  lines: readonly DiskLine[],
  sidechains: ReadonlyMap<string, readonly DiskLine[]> = new Map(),
  until?: string,
): History {
  const { thread, whole } = threadOf(lines, until);
  const reader = new HistoryReader(
    sidechains,
    lines.filter((line) => line.isSidechain === true),
  );
  for (const line of thread) reader.take(line);
  reader.finish();
  for (const line of lines) {
    if (line.type === 'custom-title') reader.title(textAt(line, 'customTitle') ?? textAt(line, 'title'));
  }
  return { conversation: reader.state, told: reader.told, whole };
}

/** Subagents that a thread speaks of: whose files are worth reading. */
export function subagentsOf(lines: readonly DiskLine[]): string[] {
  return lines.flatMap((line) => textAt(line.toolUseResult, 'agentId') ?? []);
}

function threadOf(
  lines: readonly DiskLine[],
  until: string | undefined,
): { thread: DiskLine[]; whole: boolean } {
  const main = lines.filter((line) => line.isSidechain !== true && typeof line.uuid === 'string');
  const byId = new Map(main.map((line) => [String(line.uuid), line]));
  const taken = new Set<string>();
  const [messages, tools] = [new Set<string>(), new Set<string>()];
  let at = (until === undefined ? undefined : byId.get(until)) ?? main.at(-1);
  let whole = main.length === 0;
  while (at && !taken.has(String(at.uuid))) {
    taken.add(String(at.uuid));
    note(at, messages, tools);
    const parent = textAt(at, 'parentUuid') ?? textAt(at, 'logicalParentUuid');
    whole = parent === undefined;
    at = parent === undefined ? undefined : byId.get(parent);
  }
  // Tools that ran at once: their uses and results branch off the thread.
  for (const line of main) {
    if (isPartOf(line, messages)) note(line, messages, tools);
  }
  return {
    thread: main.filter(
      (line) => taken.has(String(line.uuid)) || isPartOf(line, messages) || answersOne(line, tools),
    ),
    whole,
  };
}

function note(line: DiskLine, messages: Set<string>, tools: Set<string>): void {
  if (line.type !== 'assistant') return;
  const message = recordOf(line.message);
  if (typeof message.id === 'string') messages.add(message.id);
  for (const block of listOf(message.content)) {
    const id = textAt(block, 'id');
    if (textAt(block, 'type') === 'tool_use' && id !== undefined) tools.add(id);
  }
}

function isPartOf(line: DiskLine, messages: ReadonlySet<string>): boolean {
  return line.type === 'assistant' && messages.has(textAt(line.message, 'id') ?? '');
}

function answersOne(line: DiskLine, tools: ReadonlySet<string>): boolean {
  return line.type === 'user' && resultsOf(line).some((id) => tools.has(id));
}

function resultsOf(line: DiskLine): string[] {
  return listOf(recordOf(line.message).content).flatMap((block) =>
    textAt(block, 'type') === 'tool_result' ? (textAt(block, 'tool_use_id') ?? []) : [],
  );
}

const COMMAND = /<command-name>\/?([^<]*)<\/command-name>/;
const ARGUMENTS = /<command-args>([\s\S]*?)<\/command-args>/;

class HistoryReader {
  state: Conversation = EMPTY;
  readonly told: Told[] = [];
  readonly #translator = new Translator({ mark: 'disk' });
  readonly #files: ReadonlyMap<string, readonly DiskLine[]>;
  readonly #inline: readonly DiskLine[];
  #at = 0;
  #interrupted = false;

  constructor(files: ReadonlyMap<string, readonly DiskLine[]>, inline: readonly DiskLine[]) {
    this.#files = files;
    this.#inline = inline;
  }

  take(line: DiskLine, parent?: string): void {
    const at = Date.parse(textAt(line, 'timestamp') ?? '');
    if (Number.isFinite(at)) this.#at = at;
    if (line.type === 'assistant') this.#assistant(line, parent);
    else if (line.type === 'user') this.#user(line, parent);
    else if (line.type === 'system' && parent === undefined) this.#system(line);
  }

  title(title: string | undefined): void {
    if (title !== undefined) this.#outputs([{ kind: 'session.described', facts: { agentTitle: title } }]);
  }

  finish(): void {
    if (this.state.turn) this.#endTurn();
  }

  #assistant(line: DiskLine, parent: string | undefined): void {
    this.#say({
      ...wireLine(line, parent),
      type: 'assistant',
      aborted: line.isAbortedMidStream === true,
      ...(line.isApiErrorMessage === true
        ? { is_api_error_message: true, error: textAt(line, 'error') ?? 'unknown' }
        : {}),
    });
  }

  #user(line: DiskLine, parent: string | undefined): void {
    const results = resultsOf(line);
    if (results.length > 0) {
      const agent = textAt(line.toolUseResult, 'agentId');
      if (agent !== undefined && parent === undefined) this.#subagent(agent, results[0] ?? '');
      this.#say({ ...wireLine(line, parent), type: 'user', tool_use_result: line.toolUseResult });
      return;
    }
    // A subagent's prompt is the input of its tool.
    if (parent !== undefined || line.isMeta === true) return;
    const text = plainText(recordOf(line.message).content);
    const command = COMMAND.exec(text)?.[1]?.trim();
    if (line.isCompactSummary === true) {
      this.#say({ ...wireLine(line, undefined), type: 'user', isSynthetic: true });
    } else if (isInterruptMarker(text)) {
      this.#interrupted = true;
      this.#say({ ...wireLine(line, undefined), type: 'user' });
    } else if (/^\s*<local-command-(stdout|stderr)>/.test(text)) {
      this.#say({ ...wireLine(line, undefined), type: 'user', isReplay: true });
    } else if (command !== undefined) {
      this.#prompt(line, `/${command} ${ARGUMENTS.exec(text)?.[1] ?? ''}`.trim());
    } else {
      this.#prompt(line, text);
    }
  }

  #prompt(line: DiskLine, text: string): void {
    if (this.state.turn) this.#endTurn();
    const id = String(line.uuid);
    const attachments = listOf(recordOf(line.message).content).flatMap(attachment);
    const prompt = attachments.length === 0 ? { id, text } : { id, text, attachments };
    this.#outputs([{ kind: 'prompt.accepted', prompt }, ...this.#translator.prompt(id, text)]);
    this.#say({ ...wireLine(line, undefined), type: 'user', isReplay: true });
  }

  #system(line: DiskLine): void {
    const subtype = textAt(line, 'subtype');
    const uuid = textAt(line, 'uuid');
    if (subtype === 'compact_boundary') {
      const { preTokens, postTokens, trigger } = recordOf(line.compactMetadata);
      const compact_metadata = { pre_tokens: preTokens, post_tokens: postTokens, trigger };
      this.#say({ type: 'system', subtype, uuid, compact_metadata });
      // On disk nothing is said twice.
      this.#say({ type: 'system', subtype: 'status', status: 'requesting' });
    } else if (subtype === 'local_command') {
      const content = textAt(line, 'content') ?? '';
      if (content.includes('<local-command-')) {
        this.#say({ type: 'system', subtype: 'local_command_output', uuid, content });
      }
    } else if (subtype === 'informational') {
      this.#say({ type: 'system', subtype, uuid, content: line.content, level: line.level });
    }
  }

  #subagent(agent: string, tool: string): void {
    const lines = this.#files.get(agent) ?? this.#inline.filter((line) => line.agentId === agent);
    const at = this.#at;
    for (const line of lines) this.take(line, tool);
    this.#at = at;
  }

  #endTurn(): void {
    const how = this.#interrupted ? { terminal_reason: 'aborted_streaming' } : {};
    this.#interrupted = false;
    this.#say({ type: 'result', subtype: 'success', is_error: false, ...how });
  }

  #say(line: object): void {
    this.#outputs(this.#translator.message(line));
  }

  #outputs(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.kind === 'live') this.state = foldAppend(this.state, output);
      // What was used is told by results, and the file has none.
      else if (output.kind !== 'usage.updated') this.#change(output);
    }
  }

  #change(body: ChangeBody): void {
    this.told.push({ at: this.#at, body });
    this.state = fold(this.state, { ...body, v: this.state.v + 1, at: this.#at } as Change);
  }
}

function wireLine(line: DiskLine, parent: string | undefined): Record<string, unknown> {
  return {
    uuid: line.uuid,
    timestamp: line.timestamp,
    message: line.message,
    parent_tool_use_id: parent ?? null,
  };
}

function attachment(block: unknown): { name: string; mimeType: string; size: number; data: string }[] {
  const source = recordOf(block).source;
  const [data, mimeType] = [textAt(source, 'data'), textAt(source, 'media_type')];
  if (data === undefined || mimeType === undefined) return [];
  const name =
    textAt(block, 'title') ?? `${textAt(block, 'type') ?? 'file'}.${mimeType.split('/')[1] ?? 'bin'}`;
  return [{ name, mimeType, size: Math.floor((data.length * 3) / 4), data }];
}
