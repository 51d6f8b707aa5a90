// Turns the parts of one scripted answer into blocks and deltas, waiting at holds and keeping the configured
// speed. The sink decides where the blocks go (a stream, a JSON message). Used by answer-stream.ts only.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Gates } from './gates.ts';
import type { Control, MessageAnswer, Pace, Prose, ScriptContext, StreamError, ToolUse } from './script.ts';

export type Outcome = 'complete' | 'failed' | 'cut' | 'closed-by-client';

export interface Sink {
  start(block: Record<string, unknown>): Promise<void>;
  delta(delta: Record<string, unknown>): Promise<void>;
  stop(): Promise<void>;
}

export interface Reply {
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly gates: Gates;
  readonly context: ScriptContext;
}

/** Sends the client an error in the middle of the stream. */
export type Fail = (error: StreamError) => void;

/** Thrown to stop writing an answer that ended before its last part. */
export class Ended extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

async function passControl(control: Control, reply: Reply, fail: Fail): Promise<void> {
  if (control.type === 'hold') {
    await reply.gates.pass(control.name, reply.signal);
    if (reply.signal.aborted) throw new Ended('closed-by-client');
  } else if (control.type === 'cut') {
    reply.response.destroy();
    throw new Ended('cut');
  } else {
    fail(control);
    throw new Ended('failed');
  }
}

class Pacer {
  readonly #pace: Pace;
  readonly #reply: Reply;
  readonly #start = performance.now();
  #sent = 0;

  constructor(pace: Pace, reply: Reply) {
    this.#pace = pace;
    this.#reply = reply;
  }

  async before(): Promise<void> {
    const { gate, delayMs } = this.#pace;
    if (gate !== undefined) await this.#reply.gates.pass(gate, this.#reply.signal);
    if (delayMs !== undefined) {
      // Relative to the start, not to the previous delta: timers are late by a millisecond, which would add up.
      const ahead = this.#start + this.#sent * delayMs - performance.now();
      if (ahead > 0) await delay(ahead);
    }
    this.#sent += 1;
    if (this.#reply.signal.aborted) throw new Ended('closed-by-client');
  }
}

/** Splits by code points, so that no delta has half of a surrogate pair. */
function* chunks(text: string, size: number): Generator<string> {
  let chunk = '';
  let count = 0;
  for (const character of text) {
    chunk += character;
    count += 1;
    if (count < size) continue;
    yield chunk;
    chunk = '';
    count = 0;
  }
  if (chunk !== '') yield chunk;
}

async function writeProse(part: Prose, sink: Sink, reply: Reply, fail: Fail): Promise<number> {
  const isText = part.type === 'text';
  const pacer = new Pacer(part.pace, reply);
  let written = 0;
  await sink.start(isText ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' });
  for (const piece of part.pieces) {
    if (typeof piece !== 'string') {
      await passControl(piece, reply, fail);
      continue;
    }
    for (const chunk of chunks(piece, part.pace.chunk ?? 20)) {
      await pacer.before();
      await sink.delta(
        isText ? { type: 'text_delta', text: chunk } : { type: 'thinking_delta', thinking: chunk },
      );
      written += chunk.length;
    }
  }
  if (!isText) await sink.delta({ type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' });
  await sink.stop();
  return written;
}

async function writeToolUse(part: ToolUse, sink: Sink, reply: Reply): Promise<number> {
  const input = typeof part.input === 'function' ? part.input(reply.context) : part.input;
  const json = JSON.stringify(input);
  const pacer = new Pacer(part.pace, reply);
  const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  await sink.start({ type: 'tool_use', id, name: part.name, input: {} });
  await sink.delta({ type: 'input_json_delta', partial_json: '' });
  for (const chunk of chunks(json, part.pace.chunk ?? 20)) {
    await pacer.before();
    await sink.delta({ type: 'input_json_delta', partial_json: chunk });
  }
  await sink.stop();
  return json.length;
}

/** Writes all parts and returns the number of characters; throws `Ended` if the answer ends early. */
export async function writeParts(
  answer: MessageAnswer,
  sink: Sink,
  reply: Reply,
  fail: Fail,
): Promise<number> {
  let written = 0;
  for (const part of answer.parts) {
    if (part.type === 'tool_use') written += await writeToolUse(part, sink, reply);
    else if ('pieces' in part) written += await writeProse(part, sink, reply, fail);
    else await passControl(part, reply, fail);
  }
  return written;
}
