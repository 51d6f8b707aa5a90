import { readFileSync } from 'node:fs';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY, openEntries } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { textDiff } from '../src/acp/diff.ts';
import { promptBlocks } from '../src/acp/prompt-blocks.ts';
import { Translator } from '../src/acp/translate.ts';
import type { Output } from '../src/kit/port.ts';
import { choicesOf, contentOf, questionsOf } from '../src/kit/questions.ts';
import { readMessage } from '../src/kit/rpc.ts';
import { replayFile } from '../src/known-drivers.ts';

const CLAUDE_ACP = '@agentclientprotocol/claude-agent-acp';

/** A connection without a process: folds sent and received messages. */
class Talk {
  readonly translator = new Translator({ mark: 'm', history: false });
  state: Conversation = EMPTY;
  #ids = 0;

  take(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.kind === 'live') this.state = foldAppend(this.state, output);
      else this.state = fold(this.state, { ...output, v: this.state.v + 1, at: 0 } as Change);
    }
  }

  send(method: string, params: object, prompt?: string): number {
    const id = ++this.#ids;
    this.take(
      this.translator.sent(readMessage({ id, method, params: { sessionId: 's', ...params } }), prompt),
    );
    return id;
  }

  prompt(text = 'hi'): number {
    const id = `p${this.#ids + 1}`;
    this.take([
      { kind: 'prompt.accepted', prompt: { id, text } },
      { kind: 'prompt.progressed', prompt: id, delivery: 'sending' },
    ]);
    return this.send('session/prompt', { prompt: [{ type: 'text', text }] }, id);
  }

  cancel(): void {
    this.take(this.translator.sent(readMessage({ method: 'session/cancel', params: { sessionId: 's' } })));
  }

  receive(message: object): void {
    this.take(this.translator.received({ jsonrpc: '2.0', ...message }));
  }

  update(update: object, more: object = {}): void {
    this.receive({ method: 'session/update', params: { sessionId: 's', update, ...more } });
  }

  text(text: string, messageId?: string): void {
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });
  }

  answer(id: number, result: object = { stopReason: 'end_turn' }): void {
    this.receive({ id, result });
  }

  get entries(): Entry[] {
    return [...entriesFrom(this.state.entries)];
  }

  get outline(): string[] {
    return this.entries.map((entry) => {
      const words =
        entry.kind === 'tool' ? `${entry.state} ${entry.title}` : 'text' in entry ? entry.text : '';
      return `${entry.kind} ${entry.status} ${words}`.trim();
    });
  }
}

const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const permission = (id: string | number, toolCall: object): object => ({
  id,
  method: 'session/request_permission',
  params: { sessionId: 's', toolCall, options: OPTIONS },
});

describe('updates', () => {
  test('A21 updates may come before the session exists and after the response to the prompt', () => {
    const talk = new Talk();
    const created = talk.send('session/new', { sessionId: undefined });
    talk.update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'x' }] });
    talk.answer(created, { sessionId: 's' });
    expect(talk.state.facts).toMatchObject({ agentSession: 's', commands: [{ name: 'x' }] });
    const prompt = talk.prompt();
    talk.text('one');
    talk.answer(prompt);
    talk.update({ sessionUpdate: 'session_info_update', title: 'Later' });
    talk.text('two ');
    talk.text('three');
    expect(talk.state.facts.agentTitle).toBe('Later');
    expect(talk.outline).toEqual(['user complete hi', 'text complete one', 'text complete two three']);
    expect(openEntries(talk.state)).toEqual([]);
  });

  test('A2 counts unknown and invalid kinds, and the conversation continues', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.update({ sessionUpdate: 'hologram', data: 1 });
    talk.update({ sessionUpdate: 'tool_call', title: 'no id' });
    talk.receive({ method: '_vendor/thing', params: {} });
    talk.receive({ nonsense: true });
    talk.text('still here');
    talk.answer(prompt, { stopReason: 'tired' });
    expect(talk.state.unrecognized.kinds).toEqual({
      'session/update hologram': 1,
      'session/update tool_call (broken)': 1,
      'notification _vendor/thing': 1,
      'message that is not JSON-RPC': 1,
      'stop reason tired': 1,
    });
    expect(talk.outline.at(-1)).toBe('text complete still here');
  });

  test('A21 shows every kind of content', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    for (const content of [
      { type: 'text', text: 'a ' },
      { type: 'resource_link', uri: 'file:///x', name: 'x' },
      { type: 'audio', data: 'AA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'smell' },
    ]) {
      talk.update({ sessionUpdate: 'agent_message_chunk', content });
    }
    talk.answer(prompt);
    const [, text, image, rest] = talk.entries;
    expect(text).toMatchObject({
      text: 'a [x](file:///x)[audio, audio/wav]file:///y\n\n```\ninside\n```',
    });
    expect(image).toMatchObject({ kind: 'tool', result: { type: 'image', data: 'AAAA' } });
    expect(rest).toMatchObject({ text: '[smell]' });
  });

  test('A21 separates messages by id, or by what comes between', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.text('a', '1');
    talk.update({ sessionUpdate: 'usage_update', used: 1, size: 2 });
    talk.text('b', '1');
    talk.text('c', '2');
    talk.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 't' } });
    talk.text('d');
    talk.answer(prompt);
    expect(talk.outline.slice(1)).toEqual([
      'text complete ab',
      'text complete c',
      'thinking complete t',
      'text complete d',
    ]);
  });

  test('A21 an echo of the prompt is not a second message; other user text is a notice', () => {
    const talk = new Talk();
    const prompt = talk.prompt('hello');
    const chunk = (text: string): void =>
      talk.update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    chunk('hel');
    chunk('lo');
    talk.text('answer');
    chunk('injected');
    talk.answer(prompt);
    expect(talk.outline).toEqual([
      'user complete hello',
      'text complete answer',
      'notice complete The agent added a message of its own.',
    ]);
  });

  test('A20 does not show replayed history again, because our own is complete', () => {
    const talk = new Talk();
    const load = talk.send('session/load', {});
    talk.update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'before' } });
    talk.text('old answer');
    talk.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'old', status: 'pending' });
    talk.answer(load, { modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } });
    expect(talk.entries).toEqual([]);
    expect(talk.state.facts).toMatchObject({ mode: 'a', agentSession: 's' });
  });

  test('C15 compaction is a phase and one notice, even if its end is sent twice', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    const say = (status: string, more: object = {}): void =>
      talk.update({ sessionUpdate: 'compaction_update', compactionId: 'c', status, ...more });
    say('in_progress');
    expect(talk.state.turn?.phase).toBe('compacting');
    talk.update({
      sessionUpdate: 'compaction_summary_chunk',
      compactionId: 'c',
      content: { type: 'text', text: 'sum' },
    });
    say('completed');
    say('completed');
    talk.answer(prompt);
    expect(talk.entries.filter(({ kind }) => kind === 'notice')).toMatchObject([
      { notice: 'compaction', detail: 'sum' },
    ]);
  });

  test('M6 adds a restarted cost to what was already spent', () => {
    const talk = new Talk();
    const spend = (amount: number): void =>
      talk.update({ sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount, currency: 'USD' } });
    spend(2);
    spend(3);
    spend(1);
    expect(talk.state.usage).toMatchObject({ costUsd: 4, contextUsed: 1, contextWindow: 9 });
  });
});

describe('tools', () => {
  const tool = (talk: Talk): Entry | undefined => talk.entries.find(({ kind }) => kind === 'tool');

  test('M13 closes a denied call as denied if the agent sends nothing more', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.receive(permission(0, { toolCallId: 't', title: 'rm', kind: 'execute' }));
    const [opened, asked] = talk.entries.slice(1);
    expect(opened).toMatchObject({ kind: 'tool', state: 'waiting', fields: [{ value: 'rm' }] });
    expect(asked).toMatchObject({ kind: 'permission', about: opened?.id });
    talk.take(talk.translator.answered(asked?.id ?? '', { type: 'permission', behavior: 'deny' }));
    talk.text('as you wish');
    talk.answer(prompt);
    expect(tool(talk)).toMatchObject({ state: 'denied', status: 'failed', denied: { by: 'user' } });
  });

  test('A21 an update may be the first mention, and a late one does not reopen it', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'x', status: 'in_progress' });
    expect(tool(talk)).toMatchObject({ state: 'running' });
    talk.answer(prompt);
    expect(tool(talk)).toMatchObject({ state: 'stale', status: 'stale' });
    talk.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: 'late' } }],
    });
    expect(tool(talk)).toMatchObject({ status: 'stale', result: { text: 'late' } });
    expect(openEntries(talk.state)).toEqual([]);
  });

  test('A21 the same id in another turn is another tool', () => {
    const talk = new Talk();
    for (const round of ['one', 'two']) {
      const prompt = talk.prompt();
      talk.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: round, status: 'completed' });
      talk.answer(prompt);
    }
    expect(talk.outline.filter((line) => line.startsWith('tool'))).toEqual([
      'tool complete done one',
      'tool complete done two',
    ]);
  });

  test('A21 shows repeated terminal output once', () => {
    const talk = new Talk();
    talk.prompt();
    const meta = (_meta: object, status?: string): void =>
      talk.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', kind: 'execute', status, _meta });
    meta({ terminal_output: { terminal_id: 't', data: 'a\n' } });
    meta({ terminal_output: { terminal_id: 't', data: 'a\nb\n' } });
    meta({ terminal_output_delta: { terminal_id: 't', data: 'c\n' } });
    expect(tool(talk)).toMatchObject({ output: 'a\nb\nc\n' });
    meta({ terminal_exit: { terminal_id: 't', exit_code: 0, signal: null } }, 'completed');
    expect(tool(talk)).toMatchObject({ state: 'done', result: { stdout: 'a\nb\nc\n', exitCode: 0 } });
  });

  test('H8 a canceled command reported as completed was interrupted, unless it really ended', () => {
    for (const [exit, state] of [
      [null, 'interrupted'],
      [0, 'done'],
    ] as const) {
      const talk = new Talk();
      const prompt = talk.prompt();
      talk.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', kind: 'execute' });
      talk.cancel();
      talk.update({
        sessionUpdate: 'tool_call_update',
        toolCallId: 't',
        status: 'completed',
        rawOutput: { output: 'aborted', metadata: { exit } },
      });
      talk.answer(prompt, { stopReason: 'cancelled' });
      expect(tool(talk)).toMatchObject({ state });
    }
    for (const name of ['opencode.cancel_shell', 'gemini.cancel_shell']) {
      const { entries } = replayed(name);
      expect(entries.find(({ kind }) => kind === 'tool')).toMatchObject({ state: 'interrupted' });
    }
  });
});

describe('commands', () => {
  const started = (name: string): Talk => {
    const talk = new Talk();
    talk.answer(talk.send('initialize', { sessionId: undefined }), { agentInfo: { name, version: '1' } });
    return talk;
  };

  test('H8 warns about a command that keeps running after a cancel', () => {
    for (const [name, notices] of [
      ['@agentclientprotocol/codex-acp', 1],
      ['another', 0],
    ] as const) {
      const talk = started(name);
      const prompt = talk.prompt();
      talk.update({ sessionUpdate: 'tool_call', toolCallId: 't', kind: 'execute', status: 'in_progress' });
      talk.cancel();
      talk.answer(prompt, { stopReason: 'cancelled' });
      expect(talk.entries.filter(({ kind }) => kind === 'notice')).toHaveLength(notices);
    }
  });

  test("X2 limits a command's output and marks where it was cut", () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    const data = 'x'.repeat(700_000);
    for (const _ of [1, 2, 3]) {
      const _meta = { terminal_output_delta: { terminal_id: 't', data } };
      talk.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', kind: 'execute', _meta });
    }
    talk.answer(prompt);
    const tool = talk.entries.find((entry) => entry.kind === 'tool');
    expect(tool?.output?.length).toBeLessThan(1_100_000);
    expect(tool?.output).toMatch(/x\n… \(cut here: the output is too long\)\n$/);
  });
});

function replayed(name: string) {
  const file = new URL(`../src/acp/fixtures/${name}.jsonl`, import.meta.url);
  return replayFile(
    (name.split('.')[0] ?? '').replace(/^codexacp2?$/, 'codex-acp'),
    readFileSync(file, 'utf8').split('\n'),
  );
}

describe('requests', () => {
  test('A22 ids 0 and "0" are two requests, and one that the agent withdraws is withdrawn', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.receive(permission(0, { toolCallId: 'a', title: 'a' }));
    talk.receive(permission('0', { toolCallId: 'b', title: 'b' }));
    expect(openEntries(talk.state).filter(({ kind }) => kind === 'permission')).toHaveLength(2);
    talk.receive({ method: '$/cancel_request', params: { requestId: '0' } });
    expect(talk.entries.filter(({ kind }) => kind === 'permission').map(({ status }) => status)).toEqual([
      'partial',
      'cancelled',
    ]);
    expect(talk.translator.requestOf(0)?.tool).toBe('a');
    talk.answer(prompt);
    expect(openEntries(talk.state)).toEqual([]);
  });

  test('M10 shows an unknown kind of request as a form with its raw content', () => {
    const talk = new Talk();
    talk.prompt();
    talk.receive({ id: 5, method: 'session/dance', params: { sessionId: 's', steps: 3 } });
    expect(talk.entries.at(-1)).toMatchObject({
      kind: 'form',
      request: { status: 'pending', title: 'The agent asks (session dance)', raw: { steps: 3 } },
    });
  });

  test('C7 turns choices of a schema into questions, and answers back into its content', () => {
    const schema = {
      type: 'object',
      properties: {
        one: { type: 'string', title: 'Which?', oneOf: [{ const: 'r', title: 'Red' }] },
        one_note: { type: 'string', title: 'Other' },
        many: { type: 'array', title: 'What?', items: { type: 'string', enum: ['x', 'y'] } },
      },
    };
    const choices = choicesOf(schema) ?? [];
    expect(questionsOf(choices, 'Hm').map(({ id, multiple }) => [id, multiple])).toEqual([
      ['one', false],
      ['many', true],
    ]);
    const answers = { one: { choices: ['Red'], other: 'dark' }, many: { choices: ['x', 'y'] } };
    expect(contentOf(choices, { type: 'question', answers })).toEqual({
      one: 'r',
      one_note: 'dark',
      many: ['x', 'y'],
    });
    expect(choicesOf({ type: 'object', properties: { name: { type: 'string' } } })).toBeUndefined();
  });
});

describe('turns', () => {
  test('M5 the first sign of work delivers a prompt; commands and titles are not one', () => {
    const talk = new Talk();
    talk.prompt();
    talk.update({ sessionUpdate: 'available_commands_update', availableCommands: [] });
    talk.update({ sessionUpdate: 'session_info_update', title: 'x' });
    expect(talk.entries[0]).toMatchObject({ delivery: 'sending' });
    talk.text('a');
    expect(talk.entries[0]).toMatchObject({ delivery: 'delivered' });
  });

  test('A25 a second prompt that is never answered gets no turn and hides nothing', () => {
    const { turns, turn, entries } = replayed('codexacp.concurrent');
    expect([turns, turn]).toEqual([[{ origin: 'user', endedBy: 'cancelled' }], 'idle']);
    expect(entries.at(-1)).toMatchObject({ kind: 'user', status: 'partial' });
  });

  test('A8 does not repeat an error that the agent already reported', () => {
    for (const [said, notices] of [
      ['API Error: bad request', 0],
      ['Something else', 1],
    ] as const) {
      const talk = new Talk();
      const prompt = talk.prompt();
      talk.text(said);
      talk.receive({
        id: prompt,
        error: { code: -32603, message: 'Internal error', data: { details: 'bad request' } },
      });
      expect(talk.entries.filter(({ kind }) => kind === 'notice')).toHaveLength(notices);
      expect(talk.state.turns.at(-1)).toMatchObject({ endedBy: 'error', why: 'bad request' });
    }
  });

  test('A20 maps each stop reason to the end of the turn', () => {
    const ends = {
      max_tokens: 'limit',
      max_turn_requests: 'limit',
      refusal: 'refused',
      end_turn: 'completed',
    };
    for (const [stopReason, endedBy] of Object.entries(ends)) {
      const talk = new Talk();
      talk.answer(talk.prompt(), { stopReason });
      expect(talk.state.turns.at(-1)?.endedBy).toBe(endedBy);
    }
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.cancel();
    talk.receive({ id: prompt, error: { code: -32603, message: 'aborted' } });
    expect(talk.state.turns.at(-1)?.endedBy).toBe('cancelled');
  });

  test('A25 a steered message joins the running turn', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    talk.text('one');
    talk.take([{ kind: 'prompt.accepted', prompt: { id: 'steer', text: 'and two' } }]);
    const steering = talk.send('_session/steering', { prompt: [] }, 'steer');
    talk.answer(steering, { outcome: 'injected' });
    talk.answer(prompt);
    expect(talk.state.turns).toMatchObject([{ prompts: ['p1', 'steer'], endedBy: 'completed' }]);
    expect(talk.entries.find(({ id }) => id === 'steer')).toMatchObject({ delivery: 'delivered' });
  });
});

describe('subagents', () => {
  test('C12 a subagent that outlives the turn is in the background and ends later', () => {
    const talk = new Talk();
    const prompt = talk.prompt();
    const child = (update: object): void =>
      talk.receive({ method: 'session/update', params: { sessionId: 'c', update } });
    talk.update({
      sessionUpdate: 'subagent_update',
      sessionId: 'c',
      title: 'Child',
      state: { state: 'running' },
    });
    child({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'working' } });
    child({ sessionUpdate: 'usage_update', used: 99, size: 100 });
    talk.answer(prompt);
    expect(talk.outline.slice(1)).toEqual(['tool partial background Child', 'text complete working']);
    expect(talk.state.usage.contextUsed).toBeUndefined();
    talk.update({ sessionUpdate: 'subagent_update', sessionId: 'c', state: { state: 'idle' } });
    expect(talk.outline[1]).toBe('tool complete done Child');
    expect(talk.entries[2]?.parent).toBe(talk.entries[1]?.id);
  });
});

describe('modes and models', () => {
  const choices = {
    availableModes: [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ],
    currentModeId: 'a',
  };

  test('A20 unifies the three forms, with the call that changes each', () => {
    const legacy = new Talk();
    const models = { availableModels: [{ modelId: 'm', name: 'M' }], currentModelId: 'm' };
    legacy.answer(legacy.send('session/new', {}), { sessionId: 's', modes: choices, models });
    expect(legacy.state.facts).toMatchObject({ mode: 'a', model: 'm' });
    expect(legacy.translator.info('s')?.setter('mode', 'b')?.method).toBe('session/set_mode');
    expect(legacy.translator.info('s')?.setter('model', 'm')?.method).toBe('session/set_model');

    const config = new Talk();
    const configOptions = [
      { id: 'x', category: 'mode', type: 'select', currentValue: 'a', options: [{ value: 'a', name: 'A' }] },
      {
        id: 'y',
        category: 'model',
        type: 'select',
        currentValue: 'm',
        options: [{ group: 'g', name: 'G', options: [{ value: 'm', name: 'M' }] }],
      },
    ];
    config.answer(config.send('session/new', {}), { sessionId: 's', configOptions });
    expect(config.state.facts).toMatchObject({ mode: 'a', model: 'm', models: [{ id: 'm', label: 'M' }] });
    expect(config.translator.info('s')?.setter('mode', 'a')?.params).toEqual({ configId: 'x', value: 'a' });
  });

  test('A20 offers other options, sets them by type, and removes them again', () => {
    const talk = new Talk();
    const effort = { id: 'effort', name: 'Effort', category: 'thought_level', type: 'select' };
    const options = [
      { value: 'low', name: 'Low' },
      { value: 'high', name: 'High' },
    ];
    const fast = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false };
    const configOptions = [{ ...effort, currentValue: 'low', options }, fast];
    talk.answer(talk.send('session/new', {}), { sessionId: 's', configOptions });
    expect(talk.state.facts.options).toMatchObject([
      {
        id: 'effort',
        label: 'Effort',
        kind: 'select',
        value: 'low',
        choices: [{ id: 'low' }, { id: 'high' }],
      },
      { id: 'fast', kind: 'boolean', value: 'false' },
    ]);
    const facts = talk.translator.info('s');
    expect(facts?.setter('effort', 'high')?.params).toEqual({ configId: 'effort', value: 'high' });
    expect(facts?.setter('fast', 'true')?.params).toEqual({ configId: 'fast', type: 'boolean', value: true });
    expect(facts?.setter('colour', 'red')).toBeUndefined();
    talk.answer(
      talk.send('session/set_config_option', { configId: 'fast', type: 'boolean', value: true }),
      {},
    );
    expect(talk.state.facts.options?.[1]).toMatchObject({ value: 'true' });
    talk.update({ sessionUpdate: 'config_option_update', configOptions: [fast] });
    expect(talk.state.facts.options?.map(({ id }) => id)).toEqual(['fast']);
  });

  test('A14 marks a mode that allows everything', () => {
    const talk = new Talk();
    const agentInfo = { name: 'gemini-cli', version: '1' };
    talk.answer(talk.send('initialize', { sessionId: undefined }), { agentInfo });
    const availableModes = [
      { id: 'default', name: 'Default' },
      { id: 'yolo', name: 'YOLO' },
    ];
    talk.answer(talk.send('session/new', {}), {
      sessionId: 's',
      modes: { availableModes, currentModeId: 'default' },
    });
    expect(talk.state.facts.modes?.map(({ dangerous }) => dangerous)).toEqual([undefined, true]);
  });

  test('A20 a mode sent as a message is a mode, and a refusal has a reason', () => {
    const talk = new Talk();
    talk.answer(talk.send('session/new', {}), { sessionId: 's', modes: choices });
    const set = talk.send('session/set_mode', { modeId: 'b' });
    talk.text('[MODE_UPDATE] b');
    talk.answer(set, {});
    expect(talk.outline).toEqual(['notice complete Mode: B']);
    talk.take([{ kind: 'config.requested', option: 'mode', value: 'a' }]);
    talk.receive({
      id: talk.send('session/set_mode', { modeId: 'a' }),
      error: { code: -32602, message: 'no' },
    });
    expect([talk.state.facts.mode, talk.state.wanted]).toEqual(['b', {}]);
  });
});

describe('prompts', () => {
  const data = Buffer.from('words').toString('base64');
  const prompt = {
    id: 'p',
    text: 'look',
    attachments: [
      { name: 'a.png', mimeType: 'image/png', size: 1, data: 'AA' },
      { name: 'b.txt', mimeType: 'text/plain', size: 5, data },
    ],
  };
  const all = { image: true, audio: false, embedded: true, imagesAlone: false };
  const types = (abilities: typeof all): unknown[] => promptBlocks(prompt, abilities).map(({ type }) => type);

  test('A12 sends attachments in a supported form, and loses no image to a resource', () => {
    expect(types(all)).toEqual(['text', 'image', 'resource']);
    expect(types({ ...all, imagesAlone: true })).toEqual(['text', 'image', 'text']);
    expect(types({ ...all, embedded: false, image: false })).toEqual(['text', 'resource_link', 'text']);
  });
});

describe('diffs', () => {
  /** The result of applying the patch. */
  function patched(before: string, after: string): string {
    const { hunks } = textDiff('f', before, after);
    const old = before === '' ? [] : before.replace(/\n$/, '').split('\n');
    const made: string[] = [];
    let at = 0;
    for (const { oldStart, oldLines, newStart, lines } of hunks) {
      const from = oldLines === 0 ? oldStart : oldStart - 1;
      made.push(...old.slice(at, from));
      expect(made.length).toBe(lines.some((line) => /^[ +]/.test(line)) ? newStart - 1 : newStart);
      made.push(...lines.filter((line) => /^[ +]/.test(line)).map((line) => line.slice(1)));
      at = from + oldLines;
    }
    return [...made, ...old.slice(at)].join('\n');
  }

  test('M12 hunks turn the old text into the new one', () => {
    const long = Array.from({ length: 60 }, (_, line) => `line ${line}`);
    const texts = [
      '',
      'a',
      'a\n',
      'a\nb\n',
      'b\na\n',
      long.join('\n'),
      [...long.slice(0, 20), 'new', ...long.slice(22)].join('\n'),
      [...long.slice(5), ...long.slice(0, 5)].join('\n'),
      long.map((line, index) => (index % 7 === 0 ? `${line}!` : line)).join('\n'),
    ];
    for (const before of texts) {
      for (const after of texts) expect(patched(before, after)).toBe(after.replace(/\n$/, ''));
    }
    expect(textDiff('f', 'a\n', 'a\n').hunks).toEqual([]);
    expect(textDiff('f', 'a', 'a\n').hunks[0]?.lines).toEqual(['-a', '\\ No newline at end of file', '+a']);
  });
});

describe('A8 failures and retries of the model', () => {
  const shown = (talk: Talk) =>
    [...entriesFrom(talk.state.entries)]
      .filter((entry) => entry.kind !== 'user' && !(entry.kind === 'text' && entry.text === ''))
      .map((entry) => [entry.kind, 'text' in entry ? entry.text : '']);
  const usage = { sessionUpdate: 'usage_update', used: 1, size: 10 };

  test('A8 an answer that only states the error becomes an error with advice', () => {
    const talk = new Talk();
    const id = talk.prompt();
    talk.text('API Error: 429 slow down', 'm1');
    const data = { errorKind: 'rate_limit' };
    talk.receive({ id, error: { code: -32603, message: 'Internal error: API Error: 429 slow down', data } });
    expect(shown(talk)).toEqual([['notice', 'API Error: 429 slow down']]);
    expect([...entriesFrom(talk.state.entries)].at(-1)).toMatchObject({
      level: 'error',
      detail: expect.stringContaining('Wait'),
    });
    expect(openEntries(talk.state)).toEqual([]);
  });

  test('A8 keeps text before the error', () => {
    const talk = new Talk();
    const id = talk.prompt();
    talk.text('I begin. ', 'm1');
    talk.text('API Error: 500', 'm2');
    talk.receive({ id, error: { code: -32603, message: 'Internal error: API Error: 500' } });
    expect(shown(talk)).toEqual([
      ['text', 'I begin. '],
      ['notice', 'API Error: 500'],
    ]);
  });

  test('A8 shows an interrupted and repeated answer once, below a notice', () => {
    const talk = new Talk();
    talk.receive({ id: talk.send('initialize', {}), result: { agentInfo: { name: CLAUDE_ACP } } });
    const id = talk.prompt();
    talk.update(usage);
    talk.text('Half of the ', 'm1');
    talk.translator.paused();
    talk.text('Half of the ', 'm2');
    talk.text('truth.', 'm2');
    talk.update(usage);
    talk.text('Another message.', 'm3');
    talk.answer(id);
    expect(shown(talk)).toEqual([
      ['text', 'Half of the truth.'],
      ['notice', 'The answer was cut off. The agent asked the model again.'],
      ['text', 'Another message.'],
    ]);
  });

  test('A8 the same within one message, after a pause', () => {
    const talk = new Talk();
    const id = talk.prompt();
    talk.text('Half of the ', 'm1');
    talk.translator.paused();
    talk.text('Half', 'm1');
    talk.text(' of the ', 'm1');
    talk.text('truth.', 'm1');
    talk.answer(id);
    expect(shown(talk)).toEqual([
      ['notice', 'The answer was cut off. The agent asked the model again.'],
      ['text', 'Half of the truth.'],
    ]);
  });

  test('A8 keeps text that only looks repeated: no pause, or different text after it', () => {
    const talk = new Talk();
    const id = talk.prompt();
    talk.text('Half of the ', 'm1');
    talk.text('Half of the ', 'm1');
    talk.translator.paused();
    talk.text('Half of it.', 'm1');
    talk.answer(id);
    expect(shown(talk)).toEqual([['text', 'Half of the Half of the Half of it.']]);
  });

  test('A8 keeps all of a text that repeats itself, such as a row of dots, across pauses', () => {
    const talk = new Talk();
    const id = talk.prompt();
    for (let at = 0; at < 60; at++) {
      if (at % 20 === 10) talk.translator.paused();
      talk.text('no. ', 'm1');
    }
    talk.answer(id);
    expect(shown(talk)).toEqual([['text', 'no. '.repeat(60)]]);
  });
});
