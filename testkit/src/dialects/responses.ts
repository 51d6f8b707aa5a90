// The Responses API as a dialect of the scripted model, for Codex.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Outcome, type Reply, writeParts } from '../answer-parts.ts';
import type { Dialect, Reading } from '../fake-model.ts';
import type { Failure, MessageAnswer } from '../script.ts';
import { blockSink } from './block-sink.ts';
import {
  EventStream,
  type Fields,
  fieldsOf,
  fillSchema,
  findTurn,
  listOf,
  outcomeOf,
  parseFields,
  type Turn,
  textOf,
} from './parts.ts';
import { toCodex } from './tool-names.ts';

function turnOf({ type, role, content }: Fields): Turn {
  if (type === 'message' || (type === undefined && role !== undefined)) {
    if (role === 'user') return { role: 'user', text: textOf(content) };
    return { role: role === 'assistant' ? 'model' : 'other', text: '' };
  }
  const isOwn = type === 'reasoning' || type === 'function_call' || type === 'custom_tool_call';
  return { role: isOwn ? 'model' : 'result', text: '' };
}

const statedDirectory = (input: readonly Fields[]): string | undefined =>
  /<cwd>([^<]+)<\/cwd>/.exec(input.map(({ content }) => textOf(content)).join('\n'))?.[1];

export function writeOpenaiFailure(response: ServerResponse, failed: Failure): Outcome {
  response.writeHead(failed.status, { 'content-type': 'application/json', ...failed.headers });
  response.end(
    JSON.stringify({ error: { message: failed.message, type: failed.errorType, code: failed.errorType } }),
  );
  return 'failed';
}

async function stream(answer: MessageAnswer, reply: Reply, { model, cwd }: Reading<Fields>): Promise<void> {
  let sequence = 0;
  const output: Fields[] = [];
  const event = (type: string, data: Fields): string => {
    sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`;
  };
  const head = { id: `resp_${randomUUID()}`, object: 'response', created_at: 1_700_000_000, model };
  const events = new EventStream(reply, answer, () =>
    event('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
  );
  const send = (type: string, data: Fields): Promise<void> => events.send(event(type, data));
  let item: Fields = {};
  let streamed = '';
  const at = (): Fields => ({ item_id: item.id, output_index: output.length });
  const finish = async (whole: Fields): Promise<void> => {
    await send('response.output_item.done', { output_index: output.length, item: whole });
    output.push(whole);
  };
  const begin = async (type: string, more: Fields): Promise<void> => {
    streamed = '';
    item = { type, id: `item_${randomUUID()}`, ...more };
    await send('response.output_item.added', { output_index: output.length, item });
  };
  const sink = blockSink({
    async begin(type) {
      if (type === 'text') {
        await begin('message', { role: 'assistant', status: 'in_progress', content: [] });
        const part = { type: 'output_text', text: '', annotations: [] };
        await send('response.content_part.added', { ...at(), content_index: 0, part });
      } else {
        await begin('reasoning', { summary: [] });
        const part = { type: 'summary_text', text: '' };
        await send('response.reasoning_summary_part.added', { ...at(), summary_index: 0, part });
      }
    },
    text: (delta) => {
      streamed += delta;
      return send('response.output_text.delta', { ...at(), content_index: 0, delta });
    },
    thought: (delta) => {
      streamed += delta;
      return send('response.reasoning_summary_text.delta', { ...at(), summary_index: 0, delta });
    },
    async end(type) {
      if (type === 'text') {
        await send('response.output_text.done', { ...at(), content_index: 0, text: streamed });
        const content = [{ type: 'output_text', text: streamed, annotations: [] }];
        await finish({ ...item, status: 'completed', content });
      } else {
        await send('response.reasoning_summary_text.done', { ...at(), summary_index: 0, text: streamed });
        const summary = [{ type: 'summary_text', text: streamed }];
        await finish({ ...item, summary, encrypted_content: 'c2NyaXB0ZWQ=' });
      }
    },
    async tool(call_id, name, input) {
      const native = toCodex(name, input, cwd ?? '/');
      if (native.free === undefined) {
        const { name: own, namespace } = native;
        const whose = namespace === undefined ? {} : { namespace };
        await begin('function_call', { call_id, name: own, ...whose, arguments: '' });
        await finish({ ...item, arguments: JSON.stringify(native.input) });
      } else {
        await begin('custom_tool_call', { call_id, name: native.name, input: '' });
        await finish({ ...item, input: native.free });
      }
    },
  });
  const written = await writeParts(answer, sink, reply, ({ errorType, message }) =>
    events.end(
      event('response.failed', {
        response: { ...head, status: 'failed', error: { code: errorType, message } },
      }),
    ),
  );
  const tokens = Math.max(1, Math.ceil(written / 4));
  const usage = {
    input_tokens: 1_200,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1_200 + tokens,
  };
  events.end(event('response.completed', { response: { ...head, status: 'completed', output, usage } }));
}

export const responses: Dialect<Fields> = {
  read({ method, path, text }) {
    if (method !== 'POST' || path !== '/v1/responses') return 'stray';
    const body = parseFields(text);
    if (!Array.isArray(body?.input)) return 'broken';
    const input = listOf(body.input);
    const tools = listOf(body.tools).map(({ name, type }) => String(name ?? type));
    return {
      kind: tools.length > 0 ? 'answer' : 'title',
      body,
      prompt: findTurn(input.map(turnOf)),
      model: String(body.model),
      tools,
      cwd: statedDirectory(input),
    };
  },
  aside({ body }) {
    const { schema } = fieldsOf(fieldsOf(body.text).format);
    return schema === undefined ? 'Scripted title' : JSON.stringify(fillSchema(schema));
  },
  write: (answer, reply, reading) => outcomeOf(stream(answer, reply, reading)),
  fail: writeOpenaiFailure,
};
