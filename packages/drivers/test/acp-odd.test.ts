/** Recordings that do not exist yet, with every oddity the protocol allows: nothing lost, duplicated or left open. */
import { expect, test } from 'vitest';
import type { ReplayOutput } from '../src/kit/replay.ts';
import { replayFile } from '../src/known-drivers.ts';

type Line = readonly ['in' | 'out', object];
const rpc = (dir: 'in' | 'out', body: object): Line => [dir, { jsonrpc: '2.0', ...body }];
const call = (id: number | string, method: string, params: object): Line => rpc('in', { id, method, params });
const reply = (id: number | string, result: object): Line => rpc('out', { id, result });
const update = (body: object, sessionId = 's'): Line =>
  rpc('out', { method: 'session/update', params: { sessionId, update: body } });
const says = (text: string, more: object = {}): Line =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more });
const prompt = (id: number | string, text: string): Line =>
  call(id, 'session/prompt', { sessionId: 's', prompt: [{ type: 'text', text }] });

const OPENING: readonly Line[] = [
  call(0, 'initialize', { protocolVersion: 1 }),
  reply(0, { protocolVersion: 1, agentCapabilities: {} }),
  call(1, 'session/new', { cwd: '/p', mcpServers: [] }),
  reply(1, { sessionId: 's' }),
];

function replayed(lines: readonly Line[]): ReplayOutput {
  return replayFile(
    'codex-acp',
    [...OPENING, ...lines].map(([dir, line], t) => JSON.stringify({ t, dir, line })),
  );
}

/** Kind, status, and text or state. */
const outline = ({ entries }: ReplayOutput): string[] =>
  entries.map(({ kind, status, text, state, title }) =>
    [kind, status, kind === 'tool' ? `${title}: ${state}` : (text ?? title ?? '')].join(' | '),
  );

const running = ({ entries }: ReplayOutput): unknown[] =>
  entries.filter(({ kind, status }) => kind !== 'user' && status === 'partial');

test('A21 distinguishes ids of 0 on both sides at once', () => {
  const asked = { sessionId: 's', toolCall: { toolCallId: 't', title: 'Do it', kind: 'execute' } };
  const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
  const output = replayed([
    prompt(7, 'go'),
    rpc('out', { id: 7, method: 'session/request_permission', params: { ...asked, options } }),
    rpc('in', { id: 7, result: { outcome: { outcome: 'selected', optionId: 'y' } } }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }),
    reply(7, { stopReason: 'end_turn' }),
  ]);
  expect(outline(output)).toEqual([
    'user | complete | go',
    'tool | complete | Do it: done',
    'permission | complete | Do it',
  ]);
  expect(output.requests).toMatchObject([{ status: 'answered' }]);
  expect(output.turns.map(({ endedBy }) => endedBy)).toEqual(['completed']);
});

test('A21 keeps updates after the response to a prompt, in order, without a new turn', () => {
  const output = replayed([
    prompt(2, 'go'),
    says('During. '),
    reply(2, { stopReason: 'end_turn' }),
    says('After. '),
    says('Still after.'),
    update({ sessionUpdate: 'session_info_update', title: 'Named late' }),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'late',
      title: 'Late',
      kind: 'read',
      status: 'completed',
    }),
  ]);
  expect(outline(output)).toEqual([
    'user | complete | go',
    'text | complete | During. ',
    'text | complete | After. Still after.',
    'tool | complete | Late: done',
  ]);
  expect([output.turn, output.turns.length, running(output)]).toEqual(['idle', 1, []]);
});

test('A21 an unfinished, an only patched and a repeated tool each appear once, none running', () => {
  const output = replayed([
    prompt(2, 'go'),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'a',
      title: 'Forgotten',
      kind: 'execute',
      status: 'in_progress',
    }),
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'b',
      title: 'Only patched',
      status: 'completed',
    }),
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Twice', status: 'pending' }),
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Twice', status: 'completed' }),
    update({ sessionUpdate: 'tool_call', toolCallId: 'd' }),
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'e',
      status: 'failed',
      content: 'no list',
      kind: 7,
    }),
    reply(2, { stopReason: 'end_turn' }),
  ]);
  expect(running(output)).toEqual([]);
  const tools = output.entries.filter(({ kind }) => kind === 'tool');
  expect(tools.map(({ title }) => title).slice(0, 3)).toEqual(['Forgotten', 'Only patched', 'Twice']);
  expect(tools).toHaveLength(5);
  expect(tools.map(({ state }) => state)).not.toContain('running');
});

test('A21 a display-only terminal, by deltas and whole, with a diff and a location', () => {
  const meta = (body: object): Line =>
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', _meta: body });
  const output = replayed([
    prompt(2, 'go'),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'make',
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: 't' }],
      locations: [{ path: '/p/Makefile', line: 3 }],
      _meta: { terminal_info: { terminal_id: 't', cwd: '/p' } },
    }),
    meta({ terminal_output_delta: { terminal_id: 't', data: 'one\n' } }),
    meta({ terminal_output: { terminal_id: 't', data: 'two\n' } }),
    meta({ terminal_exit: { terminal_id: 't', exit_code: 2, signal: null } }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'failed' }),
    reply(2, { stopReason: 'end_turn' }),
  ]);
  const [tool] = output.entries.filter(({ kind }) => kind === 'tool');
  expect(tool).toMatchObject({
    status: 'failed',
    result: { type: 'terminal', stdout: 'one\ntwo\n', exitCode: 2 },
  });
});

test('A21 plans, todos, compaction, usage and notices in odd order leave nothing open', () => {
  const plan = (planId: string, entries: object[]): Line =>
    update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries } });
  const output = replayed([
    prompt(2, 'go'),
    update({
      sessionUpdate: 'plan',
      entries: [{ content: 'First', status: 'in_progress', priority: 'high' }],
    }),
    plan('p', [{ content: 'Second' }]),
    update({ sessionUpdate: 'plan_removed', planId: 'another' }),
    update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' }),
    update({
      sessionUpdate: 'compaction_summary_chunk',
      compactionId: 'c',
      content: { type: 'text', text: 'Sum' },
    }),
    update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' }),
    update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' }),
    update({ sessionUpdate: 'compaction_update', compactionId: 'open', status: 'in_progress' }),
    update({ sessionUpdate: 'usage_update', used: 10, size: null, cost: { amount: 'free' } }),
    update({ sessionUpdate: 'usage_update', used: 12, size: 100, cost: { amount: 0.5, currency: 'USD' } }),
    update({ sessionUpdate: 'notice', severity: 'odd', title: 'Look out' }),
    says('Done.'),
    reply(2, { stopReason: 'end_turn', usage: { inputTokens: 5, outputTokens: 6, totalTokens: 11 } }),
  ]);
  expect(output.todos).toMatchObject([{ text: 'Second', state: 'pending' }]);
  expect(outline(output).filter((line) => line.includes('summed up'))).toHaveLength(1);
  expect(outline(output).at(-1)).toBe('text | complete | Done.');
  expect(output.usage).toMatchObject({
    contextUsed: 12,
    contextWindow: 100,
    inputTokens: 5,
    outputTokens: 6,
  });
  expect([output.turn, running(output)]).toEqual(['idle', []]);
});

test('A2 counts unknown messages and loses no text', () => {
  const output = replayed([
    prompt(2, 'go'),
    says('Be'),
    update({ sessionUpdate: 'brain_wave', amplitude: 3 }),
    says('fore. '),
    update({ sessionUpdate: 'agent_message_chunk' }),
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', data: 'x' } }),
    rpc('out', { method: '_vendor/news', params: {} }),
    rpc('out', { method: 'session/update', params: { update: { sessionUpdate: 'plan', entries: [] } } }),
    rpc('out', { id: 99, result: {} }),
    says('And after.'),
    reply(2, { stopReason: 'because', _meta: { x: 1 } }),
  ]);
  const said = output.entries.filter(({ kind }) => kind === 'text').map(({ text }) => text);
  expect(said.join('').replace(/\[[^\]]*\]/g, '')).toContain('Before. ');
  expect(said.join('')).toContain('And after.');
  expect(output.unrecognized.count).toBeGreaterThanOrEqual(4);
  expect([output.turn, running(output)]).toEqual(['idle', []]);
});

test('A22 a withdrawn request, an unanswered one, and a cancel with both open', () => {
  const ask = (id: number, tool: string): Line =>
    rpc('out', {
      id,
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: { toolCallId: tool },
        options: [{ optionId: 'y', name: 'Yes', kind: 'surely' }],
      },
    });
  const output = replayed([
    prompt(2, 'go'),
    ask(0, 'a'),
    rpc('out', { method: '$/cancel_request', params: { requestId: 0 } }),
    ask(1, 'b'),
    rpc('out', {
      id: 'x',
      method: 'elicitation/create',
      params: {
        sessionId: 's',
        mode: 'form',
        message: 'Who?',
        requestedSchema: { type: 'object', properties: {} },
      },
    }),
    rpc('in', { method: 'session/cancel', params: { sessionId: 's' } }),
    reply(2, { stopReason: 'cancelled' }),
  ]);
  expect(output.requests).toHaveLength(3);
  expect(output.requests.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(output.turns.map(({ endedBy }) => endedBy)).toEqual(['cancelled']);
  expect(running(output)).toEqual([]);
});

test('A21 a failing prompt, and a response to one that was never sent', () => {
  const output = replayed([
    prompt('a', 'go'),
    says('Half'),
    rpc('out', { id: 'a', error: { code: 500, message: '{"error":{"message":"overloaded"}}' } }),
    reply('b', { stopReason: 'end_turn' }),
    prompt('c', 'again'),
    says('Whole.'),
    reply('c', { stopReason: 'end_turn' }),
  ]);
  expect(outline(output)).toEqual([
    'user | complete | go',
    'text | complete | Half',
    'notice | complete | overloaded',
    'user | complete | again',
    'text | complete | Whole.',
  ]);
  expect(output.turns.map(({ endedBy }) => endedBy)).toEqual(['error', 'completed']);
});
