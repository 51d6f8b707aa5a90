import type { Answer } from '@tugdeck/protocol/conversation/commands';
import { describe, expect, test } from 'vitest';
import { launchArguments } from '../src/claude/launch.ts';
import { permissionOptions } from '../src/claude/permission-rules.ts';
import { answerOf, readBack } from '../src/claude/read-back.ts';
import type { OpenRequest } from '../src/claude/requests.ts';
import { answerLine, promptLine } from '../src/claude/serialize.ts';
import { Translator } from '../src/claude/translate.ts';

const id = '11111111-2222-4333-8444-000000000001';

describe('the command line', () => {
  test('A1 a new session, one to resume, mode and model', () => {
    expect(launchArguments({ sessionId: id, mode: 'plan', model: 'opus' }).slice(-6)).toEqual([
      '--session-id',
      id,
      '--permission-mode',
      'plan',
      '--model',
      'opus',
    ]);
    expect(launchArguments({ resume: id, fork: true }).slice(-3)).toEqual(['--resume', id, '--fork-session']);
    expect(launchArguments({ sessionId: id })).toContain('--verbose');
  });

  test.each([{ sessionId: id }, { resume: id, fork: true }, { continue: true, untrusted: true }])(
    'A11 %o uses stdin and stdout, never a network address',
    (launch) => {
      const flags = launchArguments(launch).join(' ');
      expect(flags).toContain('--output-format stream-json --input-format stream-json');
      expect(flags).toContain('--permission-prompt-tool stdio');
      expect(flags).not.toMatch(/--sdk-url|https?:|wss?:/);
    },
  );

  test.each([
    { resume: id, sessionId: id },
    { resume: id, continue: true },
    { sessionId: id, continue: true },
    { fork: true },
    { fork: true, sessionId: id },
    { sessionId: 'not-a-uuid' },
    { model: '--dangerously-skip-permissions' },
    { resume: '' },
  ])('A1 rejects %o', (launch) => {
    expect(() => launchArguments(launch)).toThrow(expect.objectContaining({ code: 'AGENT_UNAVAILABLE' }));
  });
});

const suggestions = [
  {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
    behavior: 'allow',
    destination: 'localSettings',
  },
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  { type: 'somethingNew' },
];

function open(kind: OpenRequest['kind'], raw: Record<string, unknown>): OpenRequest {
  return { id: 'r1', kind, raw, tool: 't1' };
}
const questions = [
  { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: true },
  { question: 'Why?', options: [{ label: 'C' }] },
];

const CASES: readonly { name: string; request: OpenRequest; answer: Answer }[] = [
  {
    name: 'allow',
    request: open('permission', { input: { command: 'ls' } }),
    answer: { type: 'permission', behavior: 'allow' },
  },
  {
    name: 'always allow by a rule',
    request: open('permission', { input: {}, permission_suggestions: suggestions }),
    answer: { type: 'permission', behavior: 'allow', option: 'always-1' },
  },
  {
    name: 'allow with edited input',
    request: open('permission', { input: { command: 'ls' } }),
    answer: { type: 'permission', behavior: 'allow', input: { command: 'ls -l' } },
  },
  {
    name: 'deny and interrupt',
    request: open('permission', { input: {} }),
    answer: { type: 'permission', behavior: 'deny', message: 'No.', interrupt: true },
  },
  {
    name: 'choices, free text and notes',
    request: open('question', { input: { questions } }),
    answer: {
      type: 'question',
      answers: { q1: { choices: ['A', 'B'], notes: 'both' }, q2: { choices: [], other: 'because' } },
    },
  },
  {
    name: 'a plan approved',
    request: open('plan', { input: {} }),
    answer: { type: 'plan', approve: true, mode: 'acceptEdits' },
  },
  {
    name: 'a plan sent back',
    request: open('plan', { input: {} }),
    answer: { type: 'plan', approve: false, message: 'More.' },
  },
  {
    name: 'an elicitation',
    request: open('form', { subtype: 'elicitation' }),
    answer: { type: 'form', action: 'accept', content: { name: 'x' } },
  },
  {
    name: 'an unknown request declined',
    request: open('form', { subtype: 'new' }),
    answer: { type: 'form', action: 'decline' },
  },
];

describe('sent lines', () => {
  test.each(CASES)('A3 an answer parses back as itself: $name', ({ request, answer }) => {
    const read = readBack(JSON.parse(answerLine(request, answer)));
    if (read?.type !== 'response') throw new Error('not an answer');
    expect(read.id).toBe('r1');
    expect(answerOf(request, read.response, read.failed)).toEqual(answer);
  });

  test('A3 a prompt carries its uuid on one line, whatever its text', () => {
    const line = promptLine({ id, text: 'a\nb\u2028"}' });
    expect(line).not.toContain('\n');
    expect(readBack(JSON.parse(line))).toEqual({ type: 'prompt', id, text: 'a\nb\u2028"}' });
  });

  test('C21 options are readable rules with their file, plus one-time allow and deny', () => {
    expect(permissionOptions(suggestions)).toEqual([
      { id: 'allow', label: 'Allow', effect: 'allow-once' },
      {
        id: 'always-0',
        label: 'Always allow Bash(npm test) (in .claude/settings.local.json)',
        effect: 'allow-always',
        rule: 'Bash(npm test)',
        file: '.claude/settings.local.json',
      },
      {
        id: 'always-1',
        label: 'Allow, and go on in mode “Accept edits” for this session',
        effect: 'allow-always',
        rule: 'mode acceptEdits',
      },
      { id: 'deny', label: 'Deny', effect: 'reject-once' },
    ]);
    expect(permissionOptions([]).map(({ effect }) => effect)).toEqual(['allow-once', 'reject-once']);
  });
});

describe('cases without a recording', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm', permissionMode: 'default' };

  test('M13 a permission that is the first mention of a tool opens the tool first', () => {
    const translator = new Translator({ mark: 'x' });
    const request = {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      tool_use_id: 't1',
      input: { command: 'ls' },
    };
    const outputs = translator.message({ type: 'control_request', request_id: 'r1', request });
    expect(
      outputs.map((output) => (output.kind === 'entry.opened' ? output.entry.kind : output.kind)),
    ).toEqual(['tool', 'entry.patched', 'permission']);
  });

  test('A3 a request that the agent withdraws is withdrawn at once', () => {
    const translator = new Translator({ mark: 'x' });
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't1', input: {} };
    translator.message({ type: 'control_request', request_id: 'r1', request });
    expect(translator.message({ type: 'control_cancel_request', request_id: 'r1' })).toEqual([
      { kind: 'request.settled', entry: 'r1', status: 'withdrawn' },
    ]);
    expect(translator.request('r1')).toBeUndefined();
  });

  test('A7 repetitions after a compaction are ignored, even by a new translator', () => {
    const translator = new Translator({ mark: 'x' });
    translator.message(init);
    translator.message({ type: 'system', subtype: 'compact_boundary', uuid: 'u1' });
    const again = {
      type: 'assistant',
      uuid: 'u2',
      message: { id: 'm1', content: [{ type: 'text', text: 'old' }] },
    };
    expect(translator.message(again)).toEqual([]);
    translator.message({ type: 'system', subtype: 'status', status: 'requesting' });
    expect(translator.message({ ...again, uuid: 'u3' })).toHaveLength(1);
    expect(translator.message({ ...again, uuid: 'u3' })).toEqual([]);
  });

  test('A3 text and requests of a background subagent outlive the turn', () => {
    const translator = new Translator({ mark: 'x' });
    const say = (index: number, text: string): unknown => ({
      type: 'assistant',
      uuid: `a${index}`,
      parent_tool_use_id: 't1',
      message: { id: 'sub', content: [{ type: 'text', text }] },
    });
    const use = { type: 'tool_use', id: 't1', name: 'Agent', input: { run_in_background: true } };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'launched' };
    const ask = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't2', agent_id: 'k1', input: {} };
    const outputs = [
      init,
      { type: 'assistant', uuid: 'a', message: { id: 'm1', content: [use] } },
      { type: 'system', subtype: 'task_started', task_id: 'k1', tool_use_id: 't1', is_backgrounded: true },
      { type: 'user', message: { content: [result] }, tool_use_result: { isAsync: true, agentId: 'k1' } },
      say(0, 'one'),
      { type: 'control_request', request_id: 'r1', request: ask },
      { type: 'result', subtype: 'success', is_error: false },
      say(1, 'two'),
    ].flatMap((line) => translator.message(line));
    const texts = outputs.flatMap((output) =>
      output.kind === 'entry.opened' && output.entry.kind === 'text' ? [output.entry] : [],
    );
    expect(texts).toMatchObject([
      { id: 'sub:0', parent: 't1', text: 'one' },
      { id: 'sub:1', parent: 't1', text: 'two' },
    ]);
    expect(translator.request('r1')).toBeDefined();
    expect(outputs.some(({ kind }) => kind === 'request.settled' || kind === 'entry.closed')).toBe(false);
    const end = { type: 'system', subtype: 'task_notification', task_id: 'k1', status: 'completed' };
    expect(translator.message(end)).toContainEqual(
      expect.objectContaining({ kind: 'entry.closed', entry: 't1', status: 'complete' }),
    );
  });

  test('A25 a turn that the agent starts at that moment does not swallow the prompt', () => {
    const translator = new Translator({ mark: 'x' });
    translator.prompt(id, 'Hi');
    translator.message(init);
    const origin = { kind: 'task-notification' };
    const ended = translator.message({ type: 'result', subtype: 'success', is_error: false, origin });
    expect(ended.some(({ kind }) => kind === 'prompt.progressed')).toBe(false);
    const next = translator.message({ ...init, user_message_uuids: [id] });
    expect(next).toContainEqual(
      expect.objectContaining({ kind: 'turn.started', origin: 'user', prompts: [id] }),
    );
    expect(next).toContainEqual({ kind: 'prompt.progressed', prompt: id, delivery: 'delivered' });
  });

  test('A2 an interrupted stream leaves an empty canceled text, and the retry is a new text', () => {
    const translator = new Translator({ mark: 'x' });
    translator.prompt(id, 'Hi');
    const event = (body: Record<string, unknown>, more: Record<string, unknown> = {}): unknown => ({
      type: 'stream_event',
      event: body,
      ...more,
    });
    const outputs = [
      init,
      event({ type: 'message_start', message: { id: 'm1' } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } }),
      event({ type: 'message_stop' }, { abandoned_blocks: { api_message_id: 'm1', from_block_index: 0 } }),
      { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'whole' }] } },
    ].flatMap((line) => translator.message(line));
    expect(outputs).toContainEqual({
      kind: 'entry.closed',
      entry: 'm1:0',
      status: 'cancelled',
      patch: { text: '' },
    });
    expect(outputs.at(-1)).toMatchObject({ entry: { id: 'm2:0', status: 'complete', text: 'whole' } });
  });
});
