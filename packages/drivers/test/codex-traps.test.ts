// The deviations of app-server, each as the few lines that cause it, through the live translator.
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codexReplay } from '../src/codex/replay-parts.ts';
import { Translator } from '../src/codex/translate.ts';
import { TurnStopper } from '../src/codex/turn-stopper.ts';
import { Peer } from '../src/kit/peer.ts';
import { type ReplayOutput, replay } from '../src/kit/replay.ts';

type Line = readonly ['in' | 'out', unknown];
const T = 'thread-1';
const written = (lines: readonly Line[]): string[] =>
  lines.map(([dir, line]) => JSON.stringify({ t: 1, dir, line }));
const replayed = (...lines: readonly Line[]): ReplayOutput => replay(codexReplay, written(lines));

const notification = (method: string, params: object, threadId = T): Line => [
  'out',
  { method, params: { threadId, ...params } },
];
const started = (item: object, turnId = 'turn-1', threadId = T): Line =>
  notification('item/started', { turnId, item }, threadId);
const completed = (item: object, turnId = 'turn-1', threadId = T): Line =>
  notification('item/completed', { turnId, item }, threadId);
const delta = (kind: string, itemId: string, text: string): Line =>
  notification(`item/${kind}`, { turnId: 'turn-1', itemId, delta: text });
const begun = (text = 'do it', turn = 'turn-1'): Line[] => [
  ['in', { id: 1, method: 'thread/start', params: {} }],
  ['out', { id: 1, result: { thread: { id: T } } }],
  ['in', { id: 2, method: 'turn/start', params: { threadId: T, input: [{ type: 'text', text }] } }],
  ['out', { id: 2, result: { turn: { id: turn } } }],
  notification('turn/started', { turn: { id: turn } }),
];
const over = (status = 'completed', id = 'turn-1', error?: object): Line =>
  notification('turn/completed', { turn: { id, status, error } });
const command = (more: object = {}): object => ({
  type: 'commandExecution',
  id: 'call-1',
  command: "/bin/bash -lc 'make all'",
  cwd: '/project',
  status: 'inProgress',
  ...more,
});
const entriesOf = (output: ReplayOutput, kind: string) =>
  output.entries.filter((entry) => entry.kind === kind);

describe('items that are never completed', () => {
  test.each([
    ['interrupted', 'cancelled', 'interrupted'],
    ['completed', 'complete', 'background'],
    ['failed', 'cancelled', 'interrupted'],
  ])('A50 of a turn that is %s, a command is %s and %s, and nothing is open', (status, closed, state) => {
    const output = replayed(
      ...begun(),
      started({ type: 'agentMessage', id: 'm', text: '' }),
      delta('agentMessage/delta', 'm', 'Half of'),
      started(command()),
      over(status),
    );
    expect(output.turn).toBe('idle');
    expect(output.entries.filter((entry) => entry.status === 'partial')).toEqual([]);
    expect(entriesOf(output, 'tool')[0]).toMatchObject({ status: closed, state });
    expect(entriesOf(output, 'text')[0]).toMatchObject({ status: 'cancelled', text: 'Half of' });
  });

  test('A50 a message followed by another one was interrupted and is marked as dropped', () => {
    const run = codexReplay.run('r', NO_USAGE);
    const outputs = [
      ...begun(),
      started({ type: 'agentMessage', id: 'a', text: '' }),
      delta('agentMessage/delta', 'a', 'Half'),
      started({ type: 'agentMessage', id: 'b', text: '' }),
    ].flatMap(([dir, line]) => (dir === 'out' ? run.take(line) : run.read(line).sent()));
    expect(outputs.find((output) => output.kind === 'entry.closed')).toMatchObject({
      status: 'cancelled',
      patch: { text: 'Half', forgotten: true },
    });
  });

  test('A50 a command that ends after its turn gets its output, and one that we stopped did not fail', () => {
    const late = (status: string) =>
      replayed(
        ...begun(),
        started(command()),
        over(status),
        completed(command({ status: 'failed', exitCode: -1, aggregatedOutput: 'all of it' })),
      );
    expect(entriesOf(late('interrupted'), 'tool')[0]).toMatchObject({
      state: 'interrupted',
      result: { stdout: 'all of it', exitCode: -1 },
    });
    expect(entriesOf(late('completed'), 'tool')[0]).toMatchObject({ state: 'failed' });
  });
});

describe('streaming', () => {
  test('A50 replaces output whose beginning was missed', () => {
    const output = replayed(
      ...begun(),
      started(command()),
      delta('commandExecution/outputDelta', 'call-1', 'line 2\n'),
      completed(command({ status: 'completed', exitCode: 0, aggregatedOutput: 'line 1\nline 2\n' })),
      over(),
    );
    expect(entriesOf(output, 'tool')[0]?.result).toMatchObject({ stdout: 'line 1\nline 2\n', exitCode: 0 });
  });

  test('A50 shows a delta of an unannounced item, marked as incomplete', () => {
    const output = replayed(...begun(), delta('agentMessage/delta', 'm', 'the end.'), over('interrupted'));
    expect(entriesOf(output, 'text')[0]?.text).toBe('…the end.');
  });

  test('A50 text after rejoining a thread is marked as following a gap', () => {
    const output = replayed(
      ...begun(),
      started({ type: 'agentMessage', id: 'm', text: '' }),
      delta('agentMessage/delta', 'm', 'one '),
      ['in', { id: 9, method: 'thread/resume', params: { threadId: T } }],
      ['out', { id: 9, result: { thread: { id: T, turns: [] } } }],
      delta('agentMessage/delta', 'm', 'three'),
      over('interrupted'),
    );
    expect(entriesOf(output, 'text')[0]?.text).toBe('one …three');
  });
});

describe('ids', () => {
  const asked = (id: unknown): Line => [
    'out',
    {
      id,
      method: 'item/commandExecution/requestApproval',
      params: { threadId: T, turnId: 'turn-1', itemId: 'call-1', command: 'make all' },
    },
  ];
  test('A50 a request with the id 0 is a request with its own answer', () => {
    const lines = [...begun(), started(command()), asked(0)];
    expect(replayed(...lines)).toMatchObject({ turn: 'waiting', requests: [{ status: 'pending' }] });
    const answered = replayed(...lines, ['in', { id: 0, result: { decision: 'accept' } }]);
    expect(answered.requests).toMatchObject([{ status: 'answered', answer: { behavior: 'allow' } }]);
    // 0 and "0" are two ids.
    expect(replayed(...lines, ['in', { id: '0', result: {} }]).requests).toMatchObject([
      { status: 'pending' },
    ]);
  });

  test('A50 a request repeated after rejoining is one; a resolved one is withdrawn', () => {
    expect(replayed(...begun(), asked(0), asked(0)).requests).toHaveLength(1);
    const resolved = replayed(...begun(), asked(0), notification('serverRequest/resolved', { requestId: 0 }));
    expect(resolved.requests).toMatchObject([{ status: 'withdrawn' }]);
  });

  test('A50 items with the same id in two turns are two', () => {
    const said = (text: string, turn: string): Line[] => [
      started({ type: 'agentMessage', id: 'msg_1', text: '' }, turn),
      completed({ type: 'agentMessage', id: 'msg_1', text }, turn),
      over('completed', turn),
    ];
    const again: Line = [
      'in',
      { id: 3, method: 'turn/start', params: { threadId: T, input: [{ type: 'text', text: 'more' }] } },
    ];
    const output = replayed(...begun(), ...said('first', 'turn-1'), again, ...said('second', 'turn-2'));
    expect(entriesOf(output, 'text').map(({ text }) => text)).toEqual(['first', 'second']);
    expect(new Set(output.entries.map(({ id }) => id)).size).toBe(output.entries.length);
  });

  test('A50 the turn of a review has three ids and ends once', () => {
    const output = replayed(
      ['in', { id: 1, method: 'thread/start', params: {} }],
      ['out', { id: 1, result: { thread: { id: T } } }],
      [
        'in',
        { id: 2, method: 'review/start', params: { threadId: T, target: { type: 'uncommittedChanges' } } },
      ],
      ['out', { id: 2, result: { turn: { id: 'A' } } }],
      notification('turn/started', { turn: { id: 'B' } }),
      over('completed', 'A'),
    );
    expect(output).toMatchObject({ turn: 'idle', turns: [{ origin: 'agent', endedBy: 'completed' }] });
  });
});

describe('commands without an item', () => {
  const raw = (item: object): Line => notification('rawResponseItem/completed', { turnId: 'turn-1', item });
  const call = raw({
    type: 'function_call',
    call_id: 'call-9',
    name: 'exec_command',
    arguments: JSON.stringify({ cmd: 'rm -f everything' }),
  });
  const refused = raw({ type: 'function_call_output', call_id: 'call-9', output: 'rejected by policy' });

  test('A50 shows a denied command with the message for the model', () => {
    const output = replayed(
      ...begun(),
      call,
      refused,
      started({ type: 'agentMessage', id: 'm', text: '' }),
      completed({ type: 'agentMessage', id: 'm', text: 'It was refused.' }),
      over(),
    );
    expect(output.entries.map(({ kind }) => kind)).toEqual(['user', 'tool', 'text']);
    expect(entriesOf(output, 'tool')[0]).toMatchObject({
      title: 'rm -f everything',
      state: 'failed',
      result: { stdout: 'rejected by policy' },
    });
  });

  test('A50 shows a command with an item once', () => {
    const output = replayed(
      ...begun(),
      call,
      started(command({ id: 'call-9' })),
      completed(command({ id: 'call-9', status: 'completed', exitCode: 0, aggregatedOutput: '' })),
      refused,
      over(),
    );
    expect(entriesOf(output, 'tool')).toHaveLength(1);
  });
});

describe('subagents', () => {
  const spawn = (more: object = {}): object => ({
    type: 'collabAgentToolCall',
    id: 'spawn',
    tool: 'spawnAgent',
    status: 'inProgress',
    prompt: 'look around',
    receiverThreadIds: [],
    ...more,
  });
  test('A50 an unannounced thread is nested under its spawn call, even before that names it', () => {
    const output = replayed(
      ...begun(),
      started(spawn()),
      started({ type: 'agentMessage', id: 'c', text: '' }, 'child-turn', 'child'),
      completed({ type: 'agentMessage', id: 'c', text: 'I looked.' }, 'child-turn', 'child'),
      completed(spawn({ status: 'completed', receiverThreadIds: ['child'] })),
      notification('turn/completed', { turn: { id: 'child-turn', status: 'completed' } }, 'child'),
      over(),
    );
    const [tool] = entriesOf(output, 'tool');
    expect(tool).toMatchObject({ toolKind: 'agent', state: 'done', result: { text: 'I looked.' } });
    expect(entriesOf(output, 'text')[0]).toMatchObject({ text: 'I looked.', parent: tool?.id });
  });

  test('A50 a subagent that outlives the turn leaves nothing open and is reported when it ends', () => {
    const lines = [
      ...begun(),
      started(spawn()),
      completed(spawn({ status: 'completed', receiverThreadIds: ['child'] })),
      started(command(), 'child-turn', 'child'),
      over('interrupted'),
    ];
    const running = replayed(...lines);
    expect(running.entries.filter(({ status }) => status === 'partial')).toEqual([]);
    expect(entriesOf(running, 'tool').map(({ state }) => state)).toEqual(['background', 'background']);
    const ended = replayed(
      ...lines,
      completed(command({ status: 'completed', exitCode: 0, aggregatedOutput: 'x' }), 'child-turn', 'child'),
      notification('turn/completed', { turn: { id: 'child-turn', status: 'completed' } }, 'child'),
    );
    expect(entriesOf(ended, 'tool').map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

describe('stopping', () => {
  test('A50 an interrupt before the turn has started waits and is sent once', () => {
    const translator = new Translator({ mark: 'm', history: false });
    const written: unknown[] = [];
    const peer = new Peer({
      write: (_line, message, tag) => {
        translator.sent(message, tag);
        if ('method' in message) written.push(message.method);
      },
      request: () => undefined,
    });
    const stopping = new TurnStopper(peer, translator);
    const receive = (line: unknown): void => {
      translator.received(line);
      peer.take(line);
      const thread = translator.thread(T);
      if (thread) stopping.onMessage(thread);
    };
    peer.request('thread/start', {}, () => undefined);
    receive({ id: 1, result: { thread: { id: T } } });
    peer.request('turn/start', { threadId: T, input: [] }, () => undefined, 'prompt');
    receive({ id: 2, result: { turn: { id: 'turn-1' } } });
    const thread = translator.thread(T);
    if (thread) stopping.stop(thread);
    expect(written).toEqual(['thread/start', 'turn/start']);
    receive({ method: 'turn/started', params: { threadId: T, turn: { id: 'turn-1' } } });
    receive({ method: 'thread/status/changed', params: { threadId: T } });
    expect(written.slice(2)).toEqual(['turn/interrupt']);
    receive({ id: 3, result: {} });
    expect(written.slice(3)).toEqual(['thread/backgroundTerminals/list']);
  });
});

describe('turns that fail', () => {
  test.each([
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'error', /codex login/],
    ['contextWindowExceeded', 'limit', /\/compact/],
    ['modelNotFound', 'error', /another model/],
    ['constructor', 'error', /^It broke\.$/],
  ])('A50 %j has advice', (codexErrorInfo, endedBy, advice) => {
    const output = replayed(...begun(), over('failed', 'turn-1', { message: 'It broke.', codexErrorInfo }));
    expect(output.turns).toEqual([{ origin: 'user', endedBy }]);
    expect(entriesOf(output, 'notice')[0]?.text).toMatch(/^It broke\./);
    expect(entriesOf(output, 'notice')[0]?.text).toMatch(advice);
  });

  test('A50 a message for a turn that ended before taking it has failed and says so', () => {
    const output = replayed(
      ...begun(),
      [
        'in',
        { id: 3, method: 'turn/steer', params: { threadId: T, input: [{ type: 'text', text: 'also' }] } },
      ],
      ['out', { id: 3, result: { turnId: 'turn-1' } }],
      over('interrupted'),
    );
    expect(entriesOf(output, 'user')[1]).toMatchObject({ status: 'failed' });
  });
});

describe('C6 contents of a permission', () => {
  const texts = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' });
  const values = fc.jsonValue({ maxDepth: 3 });
  const extra = fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), values, { maxKeys: 5 });
  const methods = fc.constantFrom(
    'item/commandExecution/requestApproval',
    'item/fileChange/requestApproval',
    'item/permissions/requestApproval',
    'item/tool/requestUserInput',
    'mcpServer/elicitation/request',
    'item/of/tomorrow',
  );

  test('C6 a permission keeps every byte that the agent sent', () => {
    fc.assert(
      fc.property(
        methods,
        texts,
        texts,
        texts,
        extra,
        values,
        (method, first, second, reason, more, tool_params) => {
          const params = {
            ...more,
            threadId: T,
            turnId: 'turn-1',
            itemId: 'call-1',
            command: first,
            cwd: second,
            reason,
            message: reason,
            serverName: first,
            permissions: { network: more, fileSystem: { write: [second] } },
            questions: [{ id: first, header: second, question: reason, options: [{ label: first }] }],
            _meta: method.startsWith('mcp') ? { codex_approval_kind: 'mcp_tool_call', tool_params } : null,
          };
          const run = codexReplay.run('r', NO_USAGE);
          const changes = [{ path: second, kind: { type: 'add' }, diff: first }];
          const item = method.includes('fileChange')
            ? { type: 'fileChange', id: 'call-1', changes }
            : command();
          for (const [dir, line] of [...begun(), started(item)])
            if (dir === 'out') run.take(line);
            else run.read(line).sent();
          const request = run
            .take(JSON.parse(JSON.stringify({ id: 0, method, params })))
            .flatMap((output) =>
              output.kind === 'entry.opened' && 'request' in output.entry ? [output.entry] : [],
            )[0];
          const { threadId: _t, turnId: _u, itemId: _i, ...sent } = JSON.parse(JSON.stringify(params));
          expect(request?.request.raw).toMatchObject(withoutNull(sent));
          if (request?.kind === 'permission' && method.includes('fileChange'))
            expect(request.request.input).toMatchObject({ changes });
          if (request?.kind === 'permission' && method.includes('commandExecution'))
            expect(request.request.fields).toContainEqual({ label: 'Command', value: first, form: 'code' });
        },
      ),
      { numRuns: 200 },
    );
  });

  /** Empty fields are not kept. */
  function withoutNull(value: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  }
});
