// Writes one scripted answer like the Messages API: as an SSE stream, or as one JSON message if the request did
// not ask for a stream. Stops as soon as the client closes the connection, which is how a cancel arrives. Knows
// nothing about scripts and markers. Used by fake-anthropic.ts only.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Ended, type Fail, type Outcome, type Reply, type Sink, writeParts } from './answer-parts.ts';
import type { Failure, MessageAnswer, Usage } from './script.ts';

const requestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;
const messageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`;

export function writeFailure(response: ServerResponse, failed: Failure): Outcome {
  const error = { type: failed.errorType, message: failed.message };
  const id = requestId();
  response.writeHead(failed.status, {
    'content-type': 'application/json',
    'request-id': id,
    ...failed.headers,
  });
  response.end(JSON.stringify({ type: 'error', error, request_id: id }));
  return 'failed';
}

function finalUsage(answer: MessageAnswer, written: number): Usage {
  return {
    input_tokens: 1_200,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: Math.max(1, Math.ceil(written / 4)),
    ...answer.usage,
  };
}

function stopReason(answer: MessageAnswer): string {
  return (
    answer.stopReason ?? (answer.parts.some((part) => part.type === 'tool_use') ? 'tool_use' : 'end_turn')
  );
}

async function streamMessage(answer: MessageAnswer, reply: Reply): Promise<void> {
  const { response, signal } = reply;
  let started = false;
  let index = -1;

  async function send(type: string, data: Record<string, unknown>): Promise<void> {
    const more = response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    if (!more && !signal.aborted) {
      // Aborting rejects the wait; the check below reports it.
      await once(response, 'drain', { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
    if (signal.aborted) throw new Ended('closed-by-client');
  }
  // As late as possible, so that a hold or a cut as the first part comes before any byte of the answer.
  async function begin(): Promise<void> {
    if (started) return;
    started = true;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'request-id': requestId(),
      ...answer.headers,
    });
    const message = { id: messageId(), type: 'message', role: 'assistant', model: reply.context.model };
    const usage = { ...finalUsage(answer, 0), output_tokens: 1 };
    await send('message_start', {
      message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
    });
    await send('ping', {});
  }
  const sink: Sink = {
    start: async (content_block) => {
      await begin();
      index += 1;
      await send('content_block_start', { index, content_block });
    },
    delta: (delta) => send('content_block_delta', { index, delta }),
    stop: () => send('content_block_stop', { index }),
  };
  const fail: Fail = (control) => {
    if (!started) response.writeHead(200, { 'content-type': 'text/event-stream' });
    const error = { type: control.errorType, message: control.message };
    response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
  };
  const written = await writeParts(answer, sink, reply, fail);
  await begin();
  const delta = { stop_reason: stopReason(answer), stop_sequence: null };
  await send('message_delta', { delta, usage: finalUsage(answer, written) });
  await send('message_stop', {});
  response.end();
}

async function sendMessage(answer: MessageAnswer, reply: Reply): Promise<void> {
  const content: Record<string, unknown>[] = [];
  const sink: Sink = {
    start: async (block) => {
      content.push({ ...block, ...(block.type === 'tool_use' ? { input: '' } : {}) });
    },
    delta: async (delta) => {
      const block = content.at(-1);
      if (block === undefined) return;
      const append = (key: string, more: unknown): void => {
        block[key] = `${block[key]}${more}`;
      };
      if (delta.type === 'text_delta') append('text', delta.text);
      else if (delta.type === 'thinking_delta') append('thinking', delta.thinking);
      else if (delta.type === 'signature_delta') append('signature', delta.signature);
      else append('input', delta.partial_json);
    },
    stop: async () => {
      const block = content.at(-1);
      if (block?.type === 'tool_use') block.input = JSON.parse(String(block.input));
    },
  };
  const written = await writeParts(answer, sink, reply, (control) => {
    const { errorType, message } = control;
    writeFailure(reply.response, { type: 'failure', status: 500, errorType, message, headers: {} });
  });
  reply.response.writeHead(200, {
    'content-type': 'application/json',
    'request-id': requestId(),
    ...answer.headers,
  });
  const head = { id: messageId(), type: 'message', role: 'assistant', model: reply.context.model, content };
  const usage = finalUsage(answer, written);
  reply.response.end(
    JSON.stringify({ ...head, stop_reason: stopReason(answer), stop_sequence: null, usage }),
  );
}

export async function writeAnswer(answer: MessageAnswer, reply: Reply, stream: boolean): Promise<Outcome> {
  try {
    if (stream) await streamMessage(answer, reply);
    else await sendMessage(answer, reply);
    return 'complete';
  } catch (error) {
    if (error instanceof Ended) return error.outcome;
    throw error;
  }
}
