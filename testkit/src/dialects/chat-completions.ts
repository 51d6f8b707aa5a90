// The Chat Completions API as a dialect of the scripted model, for OpenCode.
import { randomUUID } from 'node:crypto';
import { type Reply, writeParts } from '../answer-parts.ts';
import type { Dialect, Reading } from '../fake-model.ts';
import type { MessageAnswer } from '../script.ts';
import { blockSink } from './block-sink.ts';
import {
  EventStream,
  type Fields,
  fieldsOf,
  findTurn,
  listOf,
  outcomeOf,
  parseFields,
  type Turn,
  textOf,
} from './parts.ts';
import { writeOpenaiFailure } from './responses.ts';
import { toOpencode } from './tool-names.ts';

function turnOf({ role, content }: Fields): Turn {
  if (role === 'user') return { role: 'user', text: textOf(content) };
  if (role === 'assistant') return { role: 'model', text: '' };
  return { role: role === 'tool' ? 'result' : 'other', text: '' };
}

async function stream(answer: MessageAnswer, reply: Reply, { model, cwd }: Reading<Fields>): Promise<void> {
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
  };
  const chunk = (delta: Fields, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const events = new EventStream(reply, answer, () => chunk({ role: 'assistant', content: '' }));
  let calls = 0;
  const sink = blockSink({
    text: (content) => events.send(chunk({ content })),
    thought: (reasoning_content) => events.send(chunk({ reasoning_content })),
    async tool(id, name, input) {
      const native = toOpencode(name, input, cwd ?? '/');
      const index = calls;
      calls += 1;
      const opened = { index, id, type: 'function', function: { name: native.name, arguments: '' } };
      await events.send(chunk({ tool_calls: [opened] }));
      const rest = { index, function: { arguments: JSON.stringify(native.input) } };
      await events.send(chunk({ tool_calls: [rest] }));
    },
  });
  const written = await writeParts(answer, sink, reply, ({ errorType, message }) =>
    events.end(`data: ${JSON.stringify({ error: { type: errorType, message } })}\n\n`),
  );
  await events.send(chunk({}, calls > 0 ? 'tool_calls' : 'stop'));
  const completion_tokens = Math.max(1, Math.ceil(written / 4));
  const usage = { prompt_tokens: 1_200, completion_tokens, total_tokens: 1_200 + completion_tokens };
  events.end(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

export const chatCompletions: Dialect<Fields> = {
  read({ method, path, text }) {
    if (method !== 'POST' || path !== '/v1/chat/completions') return 'stray';
    const body = parseFields(text);
    if (!Array.isArray(body?.messages)) return 'broken';
    const messages = listOf(body.messages);
    const tools = listOf(body.tools).map((tool) => String(fieldsOf(tool.function).name));
    const system = messages.map(({ content }) => textOf(content)).join('\n');
    return {
      kind: tools.length > 0 ? 'answer' : 'title',
      body,
      prompt: findTurn(messages.map(turnOf)),
      model: String(body.model),
      tools,
      cwd: /[Ww]orking directory: *(\/[^\n]*)/.exec(system)?.[1]?.trim(),
    };
  },
  aside: () => 'Scripted title',
  write: (answer, reply, reading) => outcomeOf(stream(answer, reply, reading)),
  fail: writeOpenaiFailure,
};
