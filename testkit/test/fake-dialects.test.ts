// The other model APIs without an agent: one script in three dialects. Requests are built by hand.
import { afterEach, describe, expect, test } from 'vitest';
import { chatCompletions } from '../src/dialects/chat-completions.ts';
import { generateContent } from '../src/dialects/generate-content.ts';
import { fillSchema, findTurn } from '../src/dialects/parts.ts';
import { responses } from '../src/dialects/responses.ts';
import { type Dialect, type FakeModel, startFakeModel } from '../src/fake-model.ts';
import { madeFile, shortAnswer, thought } from '../src/scenarios.ts';
import { failure } from '../src/script.ts';

interface Subject {
  readonly name: string;
  start(): Promise<FakeModel>;
  readonly path: string;
  /** A request with the first `length` items of a history of prompt, call and result. */
  body(prompt: string, length?: number): object;
  /** A request outside of the conversation. */
  readonly aside: object;
  textIn(events: readonly Record<string, unknown>[], kind: 'text' | 'thought'): string;
  readonly shell: RegExp;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests look into foreign JSON
type Json = any;
const start =
  <Body>(dialect: Dialect<Body>) =>
  (): Promise<FakeModel> =>
    startFakeModel(dialect);
const joined = (events: readonly Json[], pick: (event: Json) => unknown): string =>
  events.map((event) => pick(event) ?? '').join('');

const subjects: readonly Subject[] = [
  {
    name: 'Responses',
    start: start(responses),
    path: '/v1/responses',
    body: (prompt, length = 1) => ({
      model: 'm',
      tools: [{ type: 'function', name: 'exec_command' }],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<cwd>/some/p</cwd>' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...[
          { type: 'reasoning', summary: [] },
          { type: 'function_call', name: 'exec_command', call_id: 'c', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'SCN:no' },
        ].slice(0, length === 1 ? 0 : 3),
      ],
    }),
    aside: {
      model: 'm',
      input: [],
      text: { format: { schema: { properties: { title: { type: 'string' } } } } },
    },
    textIn: (events, kind) =>
      joined(events, ({ type, delta }) =>
        type === `response.${kind === 'text' ? 'output_text' : 'reasoning_summary_text'}.delta` ? delta : '',
      ),
    shell: /"name":"exec_command","arguments":"\{\\"cmd\\":\\"touch .*require_escalated/,
  },
  {
    name: 'generateContent',
    start: start(generateContent),
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: (prompt, length = 1) => ({
      tools: [{ functionDeclarations: [{ name: 'run_shell_command' }] }],
      contents: [
        { role: 'user', parts: [{ text: '<session_context>' }] },
        { role: 'user', parts: [{ text: prompt }] },
        ...[
          { role: 'model', parts: [{ functionCall: { name: 'run_shell_command' } }] },
          { role: 'user', parts: [{ functionResponse: {} }] },
        ].slice(0, length === 1 ? 0 : 2),
      ],
    }),
    aside: {
      contents: [],
      generationConfig: { responseJsonSchema: { properties: { title: { type: 'string' } } } },
    },
    textIn: (events, kind) =>
      joined(events, ({ candidates }) => {
        const part = candidates?.[0].content.parts[0];
        return (part?.thought === true) === (kind === 'thought') ? part?.text : '';
      }),
    shell: /"functionCall":\{"id":"[^"]+","name":"run_shell_command","args":\{"command":"touch /,
  },
  {
    name: 'Chat Completions',
    start: start(chatCompletions),
    path: '/v1/chat/completions',
    body: (prompt, length = 1) => ({
      model: 'm',
      stream: true,
      tools: [{ type: 'function', function: { name: 'bash' } }],
      messages: [
        { role: 'system', content: 'Working directory: /some/p\n' },
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        ...[
          { role: 'assistant', content: '', tool_calls: [] },
          { role: 'tool', content: 'SCN:no' },
        ].slice(0, length === 1 ? 0 : 2),
      ],
    }),
    aside: { model: 'm', messages: [] },
    textIn: (events, kind) =>
      joined(events, ({ choices }) => {
        const delta = choices?.[0]?.delta;
        return kind === 'text' ? delta?.content : delta?.reasoning_content;
      }),
    shell: /"function":\{"name":"bash","arguments":""\}.*"arguments":"\{\\"command\\":\\"touch /s,
  },
];

let fake: FakeModel;
afterEach(() => fake?.close());

describe.each(subjects)('$name', (subject) => {
  async function post(
    body: object,
  ): Promise<{ status: number; whole: string; events: Record<string, unknown>[] }> {
    const response = await fetch(`${fake.url}${subject.path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const whole = await response.text();
    const lines = whole.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
    return { status: response.status, whole, events: lines.map((line) => JSON.parse(line.slice(6))) };
  }

  test('A20 streams text and thinking in pieces that add up to the script', async () => {
    fake = await subject.start();
    const short = await post(subject.body('SCN:text'));
    expect(subject.textIn(short.events, 'text')).toBe(shortAnswer);
    expect(short.events.length).toBeGreaterThan(3);
    const both = await post(subject.body('SCN:thinking'));
    expect(subject.textIn(both.events, 'thought')).toContain(thought);
    expect(subject.textIn(both.events, 'text')).toBe('I thought about it. Here is the answer.');
  });

  test('A20 calls a tool by the agent’s own name, and the result advances the step', async () => {
    fake = await subject.start();
    const call = await post(subject.body('SCN:bash'));
    expect(call.whole).toMatch(subject.shell);
    expect(call.whole).toContain(madeFile);
    const after = await post(subject.body('SCN:bash', 2));
    expect(subject.textIn(after.events, 'text')).toBe('The file is made.');
    expect(fake.requests.map(({ step }) => step)).toEqual([0, 1]);
  });

  test('A20 answers failures, side requests and unknown endpoints', async () => {
    fake = await subject.start();
    fake.script('broken', [failure(400, { message: 'scripted breakdown' })]);
    const failed = await post(subject.body('SCN:broken'));
    expect(failed.status).toBe(400);
    expect(failed.whole).toContain('scripted breakdown');
    expect((await post(subject.aside)).whole).toContain('Scripted');
    expect((await fetch(`${fake.url}/elsewhere`)).status).toBe(404);
    expect(fake.strayRequests).toEqual(['GET /elsewhere']);
    expect(fake.requests.map(({ kind }) => kind)).toEqual(['answer', 'title']);
  });
});

test('A20 counts consecutive model items as one answer and ignores injected messages', () => {
  const prompt = { role: 'user', text: 'SCN:bash' } as const;
  const model = { role: 'model', text: '' } as const;
  const result = { role: 'result', text: 'SCN:no' } as const;
  const note = { role: 'user', text: '<turn_aborted>' } as const;
  expect(findTurn([prompt, model, model, result, model])).toMatchObject({ keyword: 'bash', step: 2 });
  expect(findTurn([prompt, model, note])).toMatchObject({ keyword: 'bash', step: 1, index: 0 });
});

test('A20 fills a schema without a script with matching values', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'integer', minimum: 3 },
      c: { type: 'array' },
      d: { enum: ['x', 'y'] },
      e: { type: 'BOOLEAN' },
    },
  };
  expect(fillSchema(schema)).toEqual({ a: 'Scripted', b: 3, c: [], d: 'x', e: false });
});
