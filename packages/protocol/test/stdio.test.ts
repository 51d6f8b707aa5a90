import { describe, expect, test } from 'vitest';
import type { Change, ChangeBody } from '../src/conversation/changes.ts';
import { entriesFrom } from '../src/conversation/entry-store.ts';
import { fold, foldAppend } from '../src/conversation/fold.ts';
import type { LongText } from '../src/conversation/long-text.ts';
import { type Conversation, EMPTY } from '../src/conversation/state.ts';
import { takeSnapshot } from '../src/conversation/window.ts';
import { parseInboundLine, toCommand } from '../src/stdio/inbound.ts';
import { outboundMessageSchema, type VersionedMessage, withVersion } from '../src/stdio/messages.ts';
import { createProjection, isIdle, type Projection, project } from '../src/stdio/projection.ts';
import type { HostMessage, HostRequestInput } from '../src/wire/host-link.ts';
import { createRandom, randomConversation } from './random-conversation.ts';

const resolve = (text: LongText) => (typeof text === 'string' ? text : `${text.head}…${text.tail}`);
const options = { session: 'S', texts: 'appends' as const, resolve };

/** The other side: validates every line and assembles texts by the page's rule. */
class Listener {
  readonly texts = new Map<string, string>();
  readonly outputs = new Map<string, string>();
  readonly messages: VersionedMessage[] = [];
  projection: Projection;
  asks: HostRequestInput[] = [];

  constructor(projection: Projection = createProjection(options, true)) {
    this.projection = projection;
  }

  receive(message: HostMessage): VersionedMessage[] {
    const projected = project(this.projection, message);
    this.projection = projected.projection;
    this.asks = [...projected.requests];
    const messages = projected.messages.map((word) => {
      const line = JSON.parse(JSON.stringify(withVersion(word)));
      expect(outboundMessageSchema.parse(line)).toEqual(line);
      return line as VersionedMessage;
    });
    for (const message of messages) this.#take(message);
    this.messages.push(...messages);
    return messages;
  }

  #take(message: VersionedMessage): void {
    if (message.type === 'assistant_text' || message.type === 'thinking_text') {
      const before = this.texts.get(message.msg_id) ?? '';
      expect(message.at).toBeLessThanOrEqual(before.length);
      this.texts.set(message.msg_id, before.slice(0, message.at) + message.text);
    }
    if (message.type === 'tool_result') {
      const before = this.outputs.get(message.tool_use_id) ?? '';
      expect(message.at).toBeLessThanOrEqual(before.length);
      this.outputs.set(message.tool_use_id, before.slice(0, message.at) + message.output);
    }
  }
}

/** Turns bodies into numbered changes. */
function story() {
  let v = 0;
  return (...bodies: ChangeBody[]): HostMessage => ({
    type: 'changes',
    changes: bodies.map((body) => {
      v += 1;
      return { ...body, v, at: v * 10 } as Change;
    }),
  });
}

const types = (messages: readonly VersionedMessage[]) => messages.map(({ type }) => type);

const permission = (id: string, about?: string): ChangeBody => ({
  kind: 'entry.opened',
  entry: {
    kind: 'permission',
    id,
    status: 'partial',
    ...(about === undefined ? {} : { about }),
    request: {
      status: 'pending',
      shown: 'h1',
      tool: 'Bash',
      toolKind: 'shell',
      title: 'Run ls',
      fields: [],
      options: [{ id: 'once', label: 'Once', effect: 'allow-once' }],
      input: { command: 'ls' },
      canEdit: true,
      canComment: true,
    },
  },
});
const question: ChangeBody = {
  kind: 'entry.opened',
  entry: {
    kind: 'question',
    id: 'q',
    status: 'partial',
    request: {
      status: 'pending',
      shown: 'h2',
      questions: [
        { id: '0', header: 'C', text: 'Which?', multiple: false, options: labels('Blue', 'Red, dark') },
        { id: '1', header: 'P', text: 'What parts?', multiple: true, options: labels('Hull', 'Mast') },
      ],
    },
  },
};
function labels(...names: string[]) {
  return names.map((label) => ({ label, description: '' }));
}

describe('outbound', () => {
  test('H3 a turn: status, text by appends, tool, result, cost, end', () => {
    const emit = story();
    const other = new Listener();
    const started = other.receive(
      emit(
        { kind: 'session.described', facts: { agent: 'x', agentSession: 'A', model: 'm', tools: ['Bash'] } },
        { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] },
        { kind: 'entry.opened', entry: { kind: 'text', id: 'e', status: 'partial', text: '' } },
      ),
    );
    expect(types(started)).toEqual(['session_init', 'system_metadata', 'session_status', 'assistant_text']);
    expect(started[0]).toMatchObject({ ipc_version: 2, session_id: 'S', agent_session_id: 'A' });
    expect(started[2]).toMatchObject({ status: 'running', queued: 0, waiting: 0 });
    const live = (at: number, text: string): HostMessage => ({
      type: 'live',
      appends: [{ entry: 'e', field: 'text', at, text }],
    });
    expect(other.receive(live(0, 'Hel'))).toMatchObject([{ at: 0, text: 'Hel', is_partial: true, seq: 0 }]);
    expect(other.receive(live(1, 'ello'))).toMatchObject([{ at: 3, text: 'lo' }]);
    expect(other.receive(live(0, 'Hello'))).toEqual([]);
    expect(
      other.receive(
        emit({ kind: 'entry.closed', entry: 'e', status: 'complete', patch: { text: 'Hello, you' } }),
      ),
    ).toMatchObject([
      { type: 'assistant_text', at: 5, text: ', you', is_partial: false, status: 'complete' },
    ]);
    const tool = other.receive(
      emit(
        {
          kind: 'entry.opened',
          entry: {
            kind: 'tool',
            id: 'b',
            status: 'partial',
            name: 'Bash',
            title: 'ls',
            toolKind: 'shell',
            state: 'preparing',
          },
        },
        { kind: 'entry.patched', entry: 'b', patch: { input: { command: 'ls' }, state: 'running' } },
      ),
    );
    expect(tool).toMatchObject([
      { type: 'tool_use', tool_use_id: 'b', input: {}, is_partial: true },
      { type: 'tool_use', tool_use_id: 'b', input: { command: 'ls' }, is_partial: false, state: 'running' },
    ]);
    other.receive({ type: 'live', appends: [{ entry: 'b', field: 'output', at: 0, text: 'a\n' }] });
    const result = { type: 'terminal', stdout: 'a\nb', stderr: '', exitCode: 0 } as const;
    const diff = [{ path: 'a', hunks: [] }];
    const end = other.receive(
      emit(
        { kind: 'entry.closed', entry: 'b', status: 'complete', patch: { state: 'done', result, diff } },
        {
          kind: 'usage.updated',
          usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.5 },
        },
        { kind: 'turn.ended', turn: 't', endedBy: 'completed' },
      ),
    );
    expect(end).toMatchObject([
      { type: 'tool_result', at: 2, output: 'b', is_error: false, is_partial: false },
      { type: 'tool_use_structured', tool_name: 'Bash', structured_result: { result, diff } },
      { type: 'cost_update', total_cost_usd: 0.5, num_turns: 1, usage: { output_tokens: 2 } },
      { type: 'turn_complete', turn_id: 't', msg_id: 'b', seq: 1, result: 'success' },
      { type: 'session_status', status: 'idle' },
    ]);
    expect(other.outputs.get('b')).toBe('a\nb');
    expect(isIdle(other.projection)).toBe(true);
  });

  test('H3 cost, metadata and turn ends include times, models, plugins and denials', () => {
    const spent = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.5 };
    const emit = story();
    const listener = new Listener(createProjection(options, true));
    const words = listener.receive(
      emit(
        {
          kind: 'session.described',
          facts: {
            plugins: [{ name: 'acme', source: 'acme@market' }],
            modelLimits: { large: { contextWindow: 200_000, maxOutputTokens: 32_000 } },
          },
        },
        { kind: 'turn.started', turn: 't', origin: 'agent', prompts: [] },
        {
          kind: 'usage.updated',
          usage: { ...spent, wallMs: 900, apiMs: 700, byModel: { large: spent, small: spent } },
        },
        {
          kind: 'turn.ended',
          turn: 't',
          endedBy: 'completed',
          denied: [{ entry: 'b1', title: 'Bash: rm -rf build' }],
        },
      ),
    );
    const model = {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadInputTokens: 3,
      cacheCreationInputTokens: 4,
      costUSD: 0.5,
    };
    expect(words).toContainEqual(
      expect.objectContaining({
        type: 'system_metadata',
        plugins: [{ name: 'acme', source: 'acme@market' }],
      }),
    );
    expect(words).toContainEqual(
      expect.objectContaining({
        type: 'cost_update',
        duration_ms: 900,
        duration_api_ms: 700,
        modelUsage: {
          large: { ...model, contextWindow: 200_000, maxOutputTokens: 32_000 },
          small: model,
        },
      }),
    );
    expect(words).toContainEqual(
      expect.objectContaining({
        type: 'turn_complete',
        permission_denials: [{ tool_use_id: 'b1', title: 'Bash: rm -rf build' }],
      }),
    );
  });

  test('H3 sends the whole text each time on request', () => {
    const emit = story();
    const other = new Listener(createProjection({ ...options, texts: 'whole' }, true));
    other.receive(
      emit({ kind: 'entry.opened', entry: { kind: 'thinking', id: 'e', status: 'partial', text: '' } }),
    );
    for (const [at, text] of [
      [0, 'one '],
      [4, 'two'],
    ] as const) {
      other.receive({ type: 'live', appends: [{ entry: 'e', field: 'text', at, text }] });
    }
    expect(other.messages).toMatchObject([
      { type: 'thinking_text', at: 0, text: '' },
      { at: 0, text: 'one ' },
      { at: 0, text: 'one two' },
    ]);
  });

  test('H3 retracts text that the agent abandoned', () => {
    const emit = story();
    const other = new Listener();
    other.receive(
      emit({ kind: 'entry.opened', entry: { kind: 'text', id: 'e', status: 'partial', text: 'half' } }),
    );
    const [word] = other.receive(
      emit({ kind: 'entry.closed', entry: 'e', status: 'cancelled', patch: { text: '' } }),
    );
    expect(word).toMatchObject({ at: 0, text: '', status: 'cancelled', is_partial: false });
  });

  test('H3 sends the whole of a text that is stored as a blob', () => {
    const emit = story();
    const more = { blob: 'a'.repeat(64), size: 10, head: 'He', tail: 'o!' };
    const other = new Listener(createProjection({ ...options, resolve: () => 'Hello all!' }, true));
    other.receive(
      emit(
        { kind: 'entry.opened', entry: { kind: 'text', id: 'e', status: 'partial', text: 'Hell' } },
        { kind: 'entry.closed', entry: 'e', status: 'complete', patch: { text: 'He', more } },
      ),
    );
    expect(other.texts.get('e')).toBe('Hello all!');
  });

  test('H3 requests of every kind, and their withdrawal', () => {
    const emit = story();
    const other = new Listener();
    const asked = other
      .receive(
        emit(
          permission('p', 'tool'),
          question,
          {
            kind: 'entry.opened',
            entry: {
              kind: 'plan',
              id: 'l',
              status: 'partial',
              text: '# Plan',
              request: { status: 'pending', shown: 'h3', modes: [{ id: 'default', label: 'Ask' }] },
            },
          },
          {
            kind: 'entry.opened',
            entry: {
              kind: 'form',
              id: 'f',
              status: 'partial',
              request: { status: 'pending', shown: 'h4', title: 'T', message: 'M', raw: { x: 1 } },
            },
          },
        ),
      )
      .filter(({ type }) => type !== 'session_status');
    expect(asked).toMatchObject([
      { type: 'tool_approval_request', request_id: 'p', tool_use_id: 'tool', input: { command: 'ls' } },
      { type: 'question', request_id: 'q', questions: [{ id: '0' }, { id: '1' }] },
      { type: 'control_request_forward', request_id: 'l', request_kind: 'plan', message: '# Plan' },
      { type: 'control_request_forward', request_id: 'f', request_kind: 'form', schema: { x: 1 } },
    ]);
    const settled = other.receive(
      emit(
        { kind: 'request.settled', entry: 'p', status: 'answered', by: 'talk' },
        { kind: 'request.settled', entry: 'q', status: 'answered', by: 'page' },
        { kind: 'request.settled', entry: 'l', status: 'withdrawn' },
        { kind: 'request.settled', entry: 'f', status: 'stale' },
      ),
    );
    expect(settled.filter(({ type }) => type === 'request_cancelled')).toMatchObject([
      { request_id: 'q', reason: 'answered' },
      { request_id: 'l', reason: 'withdrawn' },
      { request_id: 'f', reason: 'stale' },
    ]);
  });

  test('H3 a canceled turn sends its partial result; reports compaction, crashes and lost messages', () => {
    const emit = story();
    const other = new Listener();
    const notice = (
      id: string,
      kind: 'compaction' | 'crash' | 'retry',
      level: 'info' | 'error',
    ): ChangeBody => ({
      kind: 'entry.opened',
      entry: { kind: 'notice', id, status: 'complete', text: `text ${id}`, notice: kind, level },
    });
    other.receive(
      emit(
        { kind: 'prompt.accepted', prompt: { id: 'u', text: 'x' } },
        { kind: 'turn.started', turn: 't', origin: 'user', prompts: ['u'] },
        { kind: 'entry.opened', entry: { kind: 'text', id: 'e', status: 'partial', text: 'so far' } },
        { kind: 'turn.ended', turn: 't', endedBy: 'cancelled' },
        notice('c', 'compaction', 'info'),
        notice('r', 'retry', 'info'),
        notice('x', 'crash', 'error'),
        { kind: 'prompt.progressed', prompt: 'u', delivery: 'failed', why: 'no agent' },
        { kind: 'prompt.progressed', prompt: 'u', delivery: 'failed', why: 'no agent' },
      ),
    );
    const messages = other.messages.filter(({ type }) => type !== 'session_status');
    expect(messages).toMatchObject([
      { type: 'assistant_text' },
      { type: 'turn_cancelled', partial_result: 'so far', turn_id: 't', msg_id: 'e' },
      { type: 'compact_boundary', text: 'text c' },
      { type: 'notice', notice: 'retry' },
      { type: 'notice', notice: 'crash' },
      { type: 'error', code: 'AGENT_CRASHED', recoverable: true },
      { type: 'error', code: 'PROMPT_NOT_DELIVERED', message: 'no agent', re: 'u' },
    ]);
  });

  test('H3 reports only open entries of an existing session', () => {
    const emit = story();
    let state: Conversation = EMPTY;
    const message = emit(
      { kind: 'entry.opened', entry: { kind: 'text', id: 'old', status: 'complete', text: 'past' } },
      { kind: 'entry.opened', entry: { kind: 'text', id: 'now', status: 'partial', text: 'half' } },
      permission('p'),
    );
    if (message.type === 'changes') for (const change of message.changes) state = fold(state, change);
    const other = new Listener(createProjection(options, false));
    const snapshot = takeSnapshot(state, { tail: 100, receipts: false });
    expect(types(other.receive({ type: 'snapshot', snapshot }))).toEqual([
      'assistant_text',
      'tool_approval_request',
      'session_status',
    ]);
  });

  test('H3 refusals and errors of the host keep their code and name their request', () => {
    const other = new Listener();
    expect(
      other.receive({
        type: 'receipt',
        command: 'c',
        v: 0,
        refusal: 'TURN_NOT_RUNNING',
        message: 'Nothing.',
      }),
    ).toMatchObject([{ type: 'error', code: 'TURN_NOT_RUNNING', recoverable: true, re: 'c' }]);
    expect(other.receive({ type: 'receipt', command: 'c', v: 0 })).toEqual([]);
    expect(other.receive({ type: 'error', code: 'TOO_MANY', message: 'many' })).toMatchObject([
      { code: 'TOO_MANY', message: 'many' },
    ]);
  });
});

/** Everything that must have arrived, by any path. */
function expectWhole(other: Listener, final: Conversation): void {
  for (const entry of entriesFrom(final.entries)) {
    if (entry.kind === 'text' || entry.kind === 'thinking' || entry.kind === 'command') {
      expect(other.texts.get(entry.id), entry.id).toBe(entry.text);
    }
    if (entry.kind === 'tool' && entry.output) expect(other.outputs.get(entry.id)).toBe(entry.output);
  }
}

describe('no text is lost', () => {
  test.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'H3 the appends of a random conversation add up to its texts (seed %i)',
    (seed) => {
      const { steps, final } = randomConversation(seed, 400);
      const other = new Listener();
      for (const step of steps) other.receive(step as HostMessage);
      expectWhole(other, final);
      const open = other.projection.sent.size;
      expect(open).toBeLessThanOrEqual(Object.keys(final.open).length);
    },
  );

  test.each(Array.from({ length: 12 }, (_, seed) => seed + 50))(
    'H3 also if parts are dropped and a snapshot with pages replaces them (seed %i)',
    (seed) => {
      const { steps, final } = randomConversation(seed, 600);
      const random = createRandom(seed);
      const other = new Listener();
      let truth: Conversation = EMPTY;
      let behind = false;
      const answer = () => {
        // Like a host: a snapshot with few entries, then pages on request.
        other.receive({ type: 'snapshot', snapshot: takeSnapshot(truth, { tail: 20, receipts: false }) });
        for (let ask = other.asks[0]; ask; ask = other.asks[0]) {
          if (ask.type !== 'entries') throw new Error(`asked for ${ask.type}`);
          const from = Math.max(0, ask.before - 30);
          const entries = [...entriesFrom(truth.entries, from)].filter(({ seq }) => seq < (ask.before ?? 0));
          other.receive({ type: 'entries', page: { v: truth.v, from, to: ask.before, entries } });
        }
      };
      for (const step of steps) {
        if (step.type === 'changes') for (const change of step.changes) truth = fold(truth, change);
        else for (const append of step.appends) truth = foldAppend(truth, append);
        if (!behind && random.chance(0.02)) behind = true;
        else if (behind && random.chance(0.02)) {
          behind = false;
          answer();
          continue;
        }
        if (!behind) other.receive(step as HostMessage);
      }
      if (behind) answer();
      expectWhole(other, final);
    },
  );
});

describe('inbound', () => {
  const state = (...bodies: ChangeBody[]) => {
    const message = story()(...bodies);
    return message.type === 'changes' ? message.changes.reduce(fold, EMPTY) : EMPTY;
  };
  const id = '3b241101-e2bb-4255-8caf-4136c566a962';
  const meant = (from: Conversation, message: object) => {
    const { request, error } = parseInboundLine(JSON.stringify(message));
    if (!request || request.type === 'protocol_init') throw new Error(JSON.stringify(error));
    return toCommand(from, request, () => id);
  };

  test.each([
    [
      { type: 'user_message', text: 'hi' },
      { kind: 'prompt.send', id, text: 'hi' },
    ],
    [
      {
        type: 'user_message',
        text: '',
        attachments: [{ filename: 'a.txt', content: 'abc', media_type: 'text/plain' }],
      },
      {
        kind: 'prompt.send',
        attachments: [{ name: 'a.txt', mimeType: 'text/plain', size: 3, data: 'abc' }],
      },
    ],
    [{ type: 'interrupt' }, { kind: 'turn.cancel', id }],
    [
      { type: 'permission_mode', mode: 'plan' },
      { kind: 'session.configure', option: 'mode', value: 'plan' },
    ],
    [
      { type: 'model_change', model: 'm' },
      { kind: 'session.configure', option: 'model', value: 'm' },
    ],
    [
      { type: 'session_command', command: 'restart' },
      { kind: 'agent.restart', id },
    ],
    [
      { type: 'session_command', command: 'stop' },
      { kind: 'agent.stop', id },
    ],
  ])('H3 %j is a command', (message, command) => {
    expect(meant(EMPTY, message)).toMatchObject({ type: 'command', command });
  });

  test('H3 answers include the shown hash and who gave them', () => {
    const from = state(permission('p'), question);
    expect(
      meant(from, { type: 'tool_approval', request_id: 'p', decision: 'allow', updatedInput: { a: 1 } }),
    ).toMatchObject({
      command: { entry: 'p', shown: 'h1', by: 'talk', answer: { behavior: 'allow', input: { a: 1 } } },
    });
    const answers = { 'Which?': 'Red, dark', '1': 'Hull,Mast' };
    expect(meant(from, { type: 'question_answer', request_id: 'q', answers })).toMatchObject({
      command: {
        entry: 'q',
        shown: 'h2',
        answer: { answers: { 0: { choices: ['Red, dark'] }, 1: { choices: ['Hull', 'Mast'] } } },
      },
    });
    const own = { 0: 'something else', 1: ['Mast', 'and more'] };
    expect(meant(from, { type: 'question_answer', request_id: 'q', answers: own })).toMatchObject({
      command: {
        answer: {
          answers: {
            0: { choices: [], other: 'something else' },
            1: { choices: ['Mast'], other: 'and more' },
          },
        },
      },
    });
  });

  test('H4 an answer to a request that is not open is rejected', () => {
    const closed = state(permission('p'), { kind: 'request.settled', entry: 'p', status: 'answered' });
    for (const from of [EMPTY, closed]) {
      expect(meant(from, { type: 'tool_approval', id, request_id: 'p', decision: 'allow' })).toMatchObject({
        type: 'refused',
        message: { type: 'error', code: 'REQUEST_NOT_OPEN', recoverable: true, re: id },
      });
    }
    expect(
      meant(state(question), { type: 'tool_approval', request_id: 'q', decision: 'allow' }),
    ).toMatchObject({ type: 'refused', message: { code: 'ANSWER_UNSUITABLE' } });
    expect(meant(EMPTY, { type: 'session_command', command: 'fork' })).toMatchObject({
      type: 'refused',
      message: { code: 'NOT_SUPPORTED' },
    });
    const begun = state({ kind: 'session.described', facts: { agentSession: 'own' } });
    expect(meant(begun, { type: 'session_command', command: 'fork', at: 'u' })).toEqual({
      type: 'fork',
      at: 'u',
    });
    expect(meant(EMPTY, { type: 'session_command', command: 'continue' })).toEqual({ type: 'continue' });
  });

  test.each([
    ['{', 'not JSON'],
    ['null', 'message'],
    ['[]', 'message'],
    ['{"type":"dance"}', 'dance'],
    ['{"type":"user_message"}', 'user_message.text'],
    ['{"type":"tool_approval","request_id":"x","decision":"maybe"}', 'tool_approval.decision'],
  ])('H4 %s is answered with its error', (line, trouble) => {
    expect(parseInboundLine(line).error).toMatchObject({
      type: 'error',
      code: 'INVALID_MESSAGE',
      recoverable: true,
      message: expect.stringContaining(trouble),
    });
  });
});
