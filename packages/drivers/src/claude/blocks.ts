/**
 * Text and thinking, streamed or complete: one content block is one entry. Deltas are live appends with offsets; the
 * complete block replaces them (A4). Tool blocks go to the tools.
 */
import type { Emitter } from '../kit/emitter.ts';
import { textAt } from '../kit/fields.ts';
import type { Tools } from './tools.ts';
import { type AssistantLine, type Block, blocksOf, type StreamEvent } from './wire.ts';

/** `result`: of a provider-side tool, contained in the model's own message. */
type BlockKind = 'text' | 'thinking' | 'tool' | 'result' | 'other';

interface Streamed {
  readonly kind: BlockKind;
  readonly id: string;
  /** The streamed text. */
  text: string;
  /** Completed or abandoned. */
  settled: boolean;
  /** Its message ended before the complete block arrived: the streamed text stays until then. */
  left: boolean;
}

interface Message {
  readonly id: string;
  readonly model: string | undefined;
  readonly blocks: Map<number, Streamed>;
}

const RECENT = 500;

export class Blocks {
  readonly #out: Emitter;
  readonly #tools: Tools;
  #streaming: Message | undefined;
  /** The previously streamed message. */
  #left: Message | undefined;
  /** Next block index by message, for lines that were not streamed. Limited to recent messages. */
  readonly #next = new Map<string, number>();

  constructor(out: Emitter, tools: Tools) {
    this.#out = out;
    this.#tools = tools;
  }

  stream({ event, abandoned_blocks }: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#endStream();
        if (event.message) {
          this.#streaming = { id: event.message.id, model: event.message.model, blocks: new Map() };
        }
        return;
      case 'content_block_start':
        if (event.content_block) this.#start(event.index ?? 0, event.content_block);
        return;
      case 'content_block_delta':
        this.#delta(event.index ?? 0, event.delta);
        return;
      case 'content_block_stop':
      case 'message_delta':
      case 'ping':
      case 'error':
        return;
      case 'message_stop':
        if (abandoned_blocks && abandoned_blocks.api_message_id === this.#streaming?.id) {
          this.#abandon(abandoned_blocks.from_block_index);
        }
        this.#endStream();
        return;
      default:
        this.#out.drift(`stream_event/${event.type}`, event);
    }
  }

  /** The complete blocks of an `assistant` line. */
  whole(line: AssistantLine): void {
    for (const block of blocksOf(line.message.content)) {
      const index = this.#indexOf(line.message.id, block);
      const streamed = this.#streamed(line.message.id)?.blocks.get(index);
      if (streamed?.settled && !streamed.left) continue;
      if (streamed) Object.assign(streamed, { settled: true, left: false });
      this.#settle(line, block, index, streamed);
    }
  }

  /** Blocks that are open at the end of a turn were abandoned. */
  abandonAll(): void {
    this.#abandon(0);
    this.#streaming = undefined;
    this.#left = undefined;
  }

  #start(index: number, block: Block): void {
    const message = this.#streaming;
    if (!message || message.blocks.has(index)) return;
    this.#count(message.id, Math.max(this.#next.get(message.id) ?? 0, index + 1));
    const kind = kindOf(block);
    const id = kind === 'tool' ? (textAt(block, 'id') ?? '') : entryId(message.id, index);
    message.blocks.set(index, { kind, id, text: '', settled: kind === 'other', left: false });
    if (kind === 'text') {
      this.#out.open({ id, kind, status: 'partial', text: '', ...modelOf(message.model) });
    } else if (kind === 'thinking') {
      this.#out.open({ id, kind, status: 'partial', text: '' });
    } else if (kind === 'tool') {
      this.#tools.announce(id, textAt(block, 'name') ?? '');
    } else if (kind === 'other') {
      this.#out.drift(`content block/${block.type}`, block);
    }
  }

  #delta(index: number, delta: StreamEvent['event']['delta']): void {
    const block = this.#streaming?.blocks.get(index);
    if (!block || block.settled || !delta) return;
    const text = textAt(delta, 'text') ?? textAt(delta, 'thinking') ?? textAt(delta, 'partial_json') ?? '';
    if (text === '') return;
    const at = block.text.length;
    block.text += text;
    if (block.kind === 'tool') {
      if (this.#tools.has(block.id)) {
        this.#out.put({ kind: 'live', entry: block.id, field: 'inputText', at, text });
      }
    } else if (block.kind !== 'result') {
      this.#out.put({ kind: 'live', entry: block.id, field: 'text', at, text });
    }
  }

  #settle(line: AssistantLine, block: Block, index: number, streamed: Streamed | undefined): void {
    const parent = line.parent_tool_use_id ?? undefined;
    const kind = kindOf(block);
    if (kind === 'tool') {
      this.#tools.use({
        id: textAt(block, 'id') ?? '',
        name: textAt(block, 'name') ?? '',
        input: block.input,
        parent,
        timestamp: line.timestamp,
      });
      return;
    }
    if (kind === 'result') {
      this.#tools.serverResult(block, parent);
      return;
    }
    if (kind === 'other') {
      if (!streamed) this.#out.drift(`content block/${block.type}`, block);
      return;
    }
    const id = streamed?.id ?? entryId(line.message.id, index);
    const text = textAt(block, kind) ?? '';
    const status = line.aborted ? 'cancelled' : 'complete';
    const duration =
      kind === 'thinking' && line.thinking_duration_ms !== undefined
        ? { durationMs: line.thinking_duration_ms }
        : {};
    if (streamed) {
      this.#out.put({ kind: 'entry.closed', entry: id, status, patch: { text, ...duration } });
    } else if (kind === 'text') {
      this.#out.open({ id, kind, status, text, ...modelOf(line.message.model), ...parentOf(parent) });
    } else {
      this.#out.open({ id, kind, status, text, ...duration, ...parentOf(parent) });
    }
  }

  #abandon(from: number): void {
    for (const [index, block] of this.#streaming?.blocks ?? []) {
      if (index < from || block.settled) continue;
      block.settled = true;
      if (block.kind === 'tool') this.#tools.abandon(block.id);
      else if (block.kind !== 'result')
        this.#out.put({ kind: 'entry.closed', entry: block.id, status: 'cancelled', patch: { text: '' } });
    }
  }

  /** A message ended without its complete blocks: the streamed text is kept. */
  #endStream(): void {
    for (const block of this.#streaming?.blocks.values() ?? []) {
      if (block.settled || block.kind === 'tool' || block.kind === 'result') continue;
      block.settled = true;
      block.left = true;
      // The agent discards blank answers and retries.
      const isBlank = block.text.trim() === '';
      this.#out.put({
        kind: 'entry.closed',
        entry: block.id,
        status: isBlank ? 'cancelled' : 'complete',
        patch: { text: isBlank ? '' : block.text },
      });
    }
    this.#left = this.#streaming ?? this.#left;
    this.#streaming = undefined;
  }

  #streamed(message: string): Message | undefined {
    return [this.#streaming, this.#left].find((one) => one?.id === message);
  }

  /** The complete block arrives just before its stream stops, so it belongs to the first unsettled one. */
  #indexOf(message: string, block: Block): number {
    for (const [index, streamed] of this.#streamed(message)?.blocks ?? []) {
      if ((!streamed.settled || streamed.left) && streamed.kind === kindOf(block)) return index;
    }
    const index = this.#next.get(message) ?? 0;
    this.#count(message, index + 1);
    return index;
  }

  #count(message: string, next: number): void {
    this.#next.set(message, next);
    if (this.#next.size <= RECENT) return;
    for (const oldest of this.#next.keys()) {
      this.#next.delete(oldest);
      break;
    }
  }
}

function entryId(message: string, index: number): string {
  return `${message}:${index}`;
}

function kindOf(block: Block): BlockKind {
  switch (block.type) {
    case 'text':
      return 'text';
    case 'thinking':
    case 'redacted_thinking':
      return 'thinking';
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return 'tool';
    default:
      return block.type.endsWith('_tool_result') ? 'result' : 'other';
  }
}

const modelOf = (model: string | undefined): { model?: string } => (model === undefined ? {} : { model });
const parentOf = (parent: string | undefined): { parent?: string } =>
  parent === undefined ? {} : { parent };
