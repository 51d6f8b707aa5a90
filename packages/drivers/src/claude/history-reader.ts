/**
 * Converts session file lines, in thread order, to changes with the live translator. The caller determines which
 * lines belong together.
 */

import { MAX_AGENT_TITLE } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Output } from '../kit/port.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { type DiskLine, resultsOf } from './history-thread.ts';
import { isInterruptMarker } from './line-texts.ts';
import { Translator } from './translate.ts';
import { plainText } from './wire.ts';

const COMMAND = /<command-name>\/?([^<]*)<\/command-name>/;
const ARGUMENTS = /<command-args>([\s\S]*?)<\/command-args>/;

/** Receives the changes and the time of the current line. */
export interface HistorySink {
  readonly state: Conversation;
  at: number;
  put(outputs: readonly Output[]): void;
}

/** Lines of a subagent, by its id. */
export type Sidechains = (agent: string) => readonly DiskLine[];

export class HistoryReader {
  readonly #sink: HistorySink;
  readonly #translator = new Translator({ mark: 'disk' });
  readonly #sidechains: Sidechains;
  #interrupted = false;

  constructor(sink: HistorySink, sidechains: Sidechains) {
    this.#sink = sink;
    this.#sidechains = sidechains;
  }

  take(line: DiskLine, parent?: string): void {
    const at = Date.parse(textAt(line, 'timestamp') ?? '');
    if (Number.isFinite(at)) this.#sink.at = at;
    if (line.type === 'assistant') this.#assistant(line, parent);
    else if (line.type === 'user') this.#user(line, parent);
    else if (line.type === 'system' && parent === undefined) this.#system(line);
  }

  title(title: string | undefined): void {
    if (title === undefined) return;
    const agentTitle = title.slice(0, MAX_AGENT_TITLE);
    this.#emit([{ kind: 'session.described', facts: { agentTitle } }]);
  }

  finish(): void {
    if (this.#sink.state.turn) this.#endTurn();
  }

  #assistant(line: DiskLine, parent: string | undefined): void {
    this.#translate({
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
      this.#translate({ ...wireLine(line, parent), type: 'user', tool_use_result: line.toolUseResult });
      return;
    }
    // A subagent's prompt is its tool's input.
    if (parent !== undefined || line.isMeta === true) return;
    const text = plainText(recordOf(line.message).content);
    const command = COMMAND.exec(text)?.[1]?.trim();
    if (line.isCompactSummary === true) {
      this.#translate({ ...wireLine(line, undefined), type: 'user', isSynthetic: true });
    } else if (isInterruptMarker(text)) {
      this.#interrupted = true;
      this.#translate({ ...wireLine(line, undefined), type: 'user' });
    } else if (/^\s*<local-command-(stdout|stderr)>/.test(text)) {
      this.#translate({ ...wireLine(line, undefined), type: 'user', isReplay: true });
    } else if (command !== undefined) {
      this.#prompt(line, `/${command} ${ARGUMENTS.exec(text)?.[1] ?? ''}`.trim());
    } else {
      this.#prompt(line, text);
    }
  }

  #prompt(line: DiskLine, text: string): void {
    if (this.#sink.state.turn) this.#endTurn();
    const id = untrustedText(line.uuid);
    const attachments = listOf(recordOf(line.message).content).flatMap(attachment);
    const prompt = attachments.length === 0 ? { id, text } : { id, text, attachments };
    this.#emit([{ kind: 'prompt.accepted', prompt }, ...this.#translator.prompt(id, text)]);
    this.#translate({ ...wireLine(line, undefined), type: 'user', isReplay: true });
  }

  #system(line: DiskLine): void {
    const subtype = textAt(line, 'subtype');
    const uuid = textAt(line, 'uuid');
    if (subtype === 'compact_boundary') {
      const { preTokens, postTokens, trigger } = recordOf(line.compactMetadata);
      const compact_metadata = { pre_tokens: preTokens, post_tokens: postTokens, trigger };
      this.#translate({ type: 'system', subtype, uuid, compact_metadata });
      // In files, nothing is repeated after a compaction.
      this.#translate({ type: 'system', subtype: 'status', status: 'requesting' });
    } else if (subtype === 'local_command') {
      const content = textAt(line, 'content') ?? '';
      if (content.includes('<local-command-')) {
        this.#translate({ type: 'system', subtype: 'local_command_output', uuid, content });
      }
    } else if (subtype === 'informational') {
      this.#translate({ type: 'system', subtype, uuid, content: line.content, level: line.level });
    }
  }

  #subagent(agent: string, tool: string): void {
    const at = this.#sink.at;
    for (const line of this.#sidechains(agent)) this.take(line, tool);
    this.#sink.at = at;
  }

  #endTurn(): void {
    const how = this.#interrupted ? { terminal_reason: 'aborted_streaming' } : {};
    this.#interrupted = false;
    this.#translate({ type: 'result', subtype: 'success', is_error: false, ...how });
  }

  #translate(line: object): void {
    this.#emit(this.#translator.message(line));
  }

  #emit(outputs: readonly Output[]): void {
    // Usage is reported by results, which files do not have.
    this.#sink.put(outputs.filter(({ kind }) => kind !== 'usage.updated'));
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
