// The fake without an agent: script selection, side calls, pacing. Requests are built by hand.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../src/fake-anthropic.ts';
import { findPrompt } from '../src/messages-request.ts';
import { longAnswer } from '../src/scenarios.ts';
import { answer, hold, text, toolUse } from '../src/script.ts';

let fake: FakeAnthropic;

beforeEach(async () => {
  fake = await startFakeAnthropic();
});

afterEach(() => fake.close());

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const toolResult = {
  type: 'tool_result',
  tool_use_id: 'toolu_1',
  content: 'SCN:text in a result does not count',
};

function post(body: Record<string, unknown>, path = '/v1/messages?beta=true'): Promise<Response> {
  const full = { model: 'some-model', tools: [{ name: 'Bash' }], ...body };
  return fetch(`${fake.url}${path}`, { method: 'POST', body: JSON.stringify(full) });
}

async function ask(
  messages: unknown[],
  more: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const response = await post({ messages, stream: false, ...more });
  return (await response.json()) as Record<string, unknown>;
}

test('A3 the last prompt selects the script, the number of answers after it the step', () => {
  const reminder = { type: 'text', text: '<system-reminder>SCN:no</system-reminder>' };
  const turn = [user('SCN:old'), assistant('x'), user([reminder, { type: 'text', text: 'do SCN:bash' }])];
  expect(findPrompt(turn)).toMatchObject({ keyword: 'bash', step: 0, index: 2 });
  const later = [...turn, assistant('call'), user([toolResult, { type: 'text', text: 'Tool loaded.' }])];
  expect(findPrompt(later)).toMatchObject({ keyword: 'bash', step: 1 });
  expect(findPrompt([...later, { role: 'system', content: 'SCN:no' }])).toMatchObject({ keyword: 'bash' });
  expect(findPrompt([...later, user('<task-notification>…')])).toMatchObject({ keyword: 'bash', step: 1 });
  expect(findPrompt([...later, user('plain words')])).toMatchObject({ keyword: undefined, step: 0 });
});

test('A3 the answer has the step, stop reason, usage and input of the script', async () => {
  fake.script('two', [
    toolUse('Read', ({ cwd, tools }) => ({ file_path: `${cwd}/a`, tools })),
    answer(text('end'), { stopReason: 'max_tokens', usage: { input_tokens: 150_000 } }),
  ]);
  const where = { role: 'system', content: ' - Primary working directory: /some/project\n - other' };
  const first = await ask([user('SCN:two'), where]);
  expect(first).toMatchObject({
    model: 'some-model',
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'Read', input: { file_path: '/some/project/a', tools: ['Bash'] } }],
  });
  const second = await ask([user('SCN:two'), where, assistant('call'), user([toolResult])]);
  expect(second).toMatchObject({ stop_reason: 'max_tokens', usage: { input_tokens: 150_000 } });
});

test('A3 never uses a script for side calls', async () => {
  const summary = await ask([user('SCN:bash'), user('Your task is to create a detailed summary of it')]);
  expect(JSON.stringify(summary.content)).toContain('<summary>');
  const suggestion = await ask([user('SCN:bash'), user('[SUGGESTION MODE: what next]')]);
  expect(suggestion.content).toEqual([{ type: 'text', text: 'run the tests' }]);
  const title = await ask([user('SCN:bash')], {
    tools: [],
    output_config: { format: { type: 'json_schema' } },
  });
  expect(title.content).toEqual([{ type: 'text', text: '{"title":"Scripted title"}' }]);
  await ask([user('Hi')], { tools: [], stream: undefined });
  const count = await post({ messages: [user('SCN:bash')] }, '/v1/messages/count_tokens?beta=true');
  expect(await count.json()).toEqual({ input_tokens: expect.any(Number) });
  expect(fake.requests.map((call) => call.kind)).toEqual([
    'compaction',
    'suggestion',
    'title',
    'probe',
    'count',
  ]);
  const stray = await fetch(`${fake.url}/v1/models`);
  expect([stray.status, fake.strayRequests]).toEqual([404, ['GET /v1/models']]);
});

test('A4 a gate lets one delta through per release, before or after it is reached', async () => {
  fake.script('gated', [text('abcdef', { chunk: 2, gate: 'tick' })]);
  fake.release('tick');
  const response = await post({ messages: [user('SCN:gated')], stream: true });
  await fake.reached('tick', { times: 2 });
  expect(fake.requests[0]?.outcome).toBe('open');
  fake.release('tick');
  await fake.reached('tick', { times: 3 });
  fake.open('tick');
  const texts = [...(await response.text()).matchAll(/"text_delta","text":"(\w+)"/g)].map(
    (match) => match[1],
  );
  expect(texts).toEqual(['ab', 'cd', 'ef']);
  await fake.called({ keyword: 'gated', outcome: 'complete' });
});

test('A4 a client that disconnects at a hold does not consume a permit', async () => {
  fake.script('held', [[hold('start'), text('after')]]);
  const leaving = new AbortController();
  const body = JSON.stringify({ model: 'm', tools: [{}], stream: true, messages: [user('SCN:held')] });
  const left = fetch(`${fake.url}/v1/messages`, { method: 'POST', body, signal: leaving.signal });
  await fake.reached('start');
  leaving.abort();
  await expect(left).rejects.toThrow();
  await fake.called({ keyword: 'held', outcome: 'closed-by-client' });
  fake.release('start');
  const second = await post({ messages: [user('SCN:held')], stream: true });
  expect(await second.text()).toContain('after');
});

test('A4 a wait that times out names what it waited for', async () => {
  await expect(fake.reached('nowhere', { timeoutMs: 20 })).rejects.toThrow(
    "hold 'nowhere' in 20 ms (0 of 1)",
  );
  await expect(fake.called({ keyword: 'none' }, 20)).rejects.toThrow('no call with {"keyword":"none"}');
});

test('A8 reports a script that throws to the agent instead of hanging', async () => {
  fake.script('bug', () => {
    throw new Error('typo in the test');
  });
  const response = await post({ messages: [user('SCN:bug')], stream: true });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('typo in the test');
});

test('A4 the long answer has about 60 KB, twelve code blocks, tables and lists', () => {
  expect(longAnswer.length).toBeGreaterThan(55_000);
  expect(longAnswer.length).toBeLessThan(65_000);
  expect(longAnswer.match(/^```\w+$/gm)).toHaveLength(12);
  expect(longAnswer.match(/^\|---\|---:\|---\|$/gm)).toHaveLength(12);
  expect(longAnswer.match(/^- /gm)?.length).toBeGreaterThan(20);
});
