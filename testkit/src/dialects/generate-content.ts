// Gemini's generateContent as a dialect of the scripted model, streamed and as one response.
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
import { toGemini } from './tool-names.ts';

export interface GeminiRequest {
  readonly whole: Fields;
  readonly method: string;
}

const address = /^\/v1beta\/models\/([^:/]+):(streamGenerateContent|generateContent|countTokens)$/;

function turnOf({ role, parts }: Fields): Turn {
  if (role === 'model') return { role: 'model', text: '' };
  const isResult = listOf(parts).some(({ functionResponse }) => functionResponse !== undefined);
  return isResult ? { role: 'result', text: '' } : { role: 'user', text: textOf(parts) };
}

function writeFailure(response: ServerResponse, failed: Failure): Outcome {
  const status = failed.status === 400 ? 'INVALID_ARGUMENT' : failed.errorType.toUpperCase();
  response.writeHead(failed.status, { 'content-type': 'application/json', ...failed.headers });
  response.end(JSON.stringify({ error: { code: failed.status, message: failed.message, status } }));
  return 'failed';
}

async function write(
  answer: MessageAnswer,
  reply: Reply,
  { model, cwd, body }: Reading<GeminiRequest>,
): Promise<void> {
  const responseId = randomUUID();
  const parts: Fields[] = [];
  const isStream = body.method === 'streamGenerateContent';
  const json = (content: readonly Fields[], more: Fields = {}, rest: Fields = {}): string =>
    JSON.stringify({
      candidates: [{ content: { role: 'model', parts: content }, index: 0, ...more }],
      modelVersion: model,
      responseId,
      ...rest,
    });
  const events = new EventStream(reply, answer);
  const put = async (part: Fields): Promise<void> => {
    if (isStream) await events.send(`data: ${json([part])}\r\n\r\n`);
    else parts.push(part);
  };
  let thought = '';
  const sink = blockSink({
    text: (text) => put({ text }),
    // Sent as one part with its subject, because the agent treats each part as a separate thought.
    async thought(piece) {
      thought += piece;
    },
    async end(type) {
      if (type === 'thinking') await put({ text: `**Thought** ${thought}`, thought: true });
      thought = '';
    },
    tool: (id, name, input) => {
      const native = toGemini(name, input, cwd ?? '/');
      const functionCall = { id, name: native.name, args: native.input };
      return put({ functionCall, thoughtSignature: 'c2NyaXB0ZWQ=' });
    },
  });
  const written = await writeParts(answer, sink, reply, ({ message }) =>
    events.end(`data: ${JSON.stringify({ error: { code: 500, message, status: 'INTERNAL' } })}\r\n\r\n`),
  );
  const candidatesTokenCount = Math.max(1, Math.ceil(written / 4));
  const usageMetadata = {
    promptTokenCount: 1_200,
    candidatesTokenCount,
    totalTokenCount: 1_200 + candidatesTokenCount,
  };
  const last = { finishReason: 'STOP' };
  if (isStream) {
    events.end(`data: ${json([{ text: '' }], last, { usageMetadata })}\r\n\r\n`);
    return;
  }
  reply.response.writeHead(200, { 'content-type': 'application/json' });
  reply.response.end(json(parts, last, { usageMetadata }));
}

export const generateContent: Dialect<GeminiRequest> = {
  read({ method, path, text }) {
    const found = address.exec(path);
    if (method !== 'POST' || found === null) return 'stray';
    const whole = parseFields(text);
    if (!Array.isArray(whole?.contents)) return 'broken';
    const contents = listOf(whole.contents);
    const tools = listOf(whole.tools).flatMap(({ functionDeclarations }) =>
      listOf(functionDeclarations).map(({ name }) => String(name)),
    );
    const texts = [
      ...contents.map(({ parts }) => textOf(parts)),
      textOf(fieldsOf(whole.systemInstruction).parts),
    ].join('\n');
    const call = found[2] ?? '';
    const isAnswer = tools.length > 0 && call === 'streamGenerateContent';
    return {
      kind: call === 'countTokens' ? 'count' : isAnswer ? 'answer' : 'title',
      body: { whole, method: call },
      prompt: findTurn(contents.map(turnOf)),
      model: found[1] ?? '',
      tools,
      cwd: /Workspace Directories:\**\s*-?\s*(\/[^\n]*)/.exec(texts)?.[1]?.trim(),
    };
  },
  direct: ({ kind }) => (kind === 'count' ? { totalTokens: 100 } : undefined),
  aside({ body }) {
    const { responseJsonSchema, responseSchema } = fieldsOf(body.whole.generationConfig);
    const schema = responseJsonSchema ?? responseSchema;
    return schema === undefined ? 'Scripted' : JSON.stringify(fillSchema(schema));
  },
  write: (answer, reply, reading) => outcomeOf(write(answer, reply, reading)),
  fail: writeFailure,
};
