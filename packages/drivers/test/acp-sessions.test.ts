import { expect, test } from 'vitest';
import type { AgentStart } from '../src/kit/port.ts';
import { PUPPET, startLive, startOf } from './acp-live.ts';

type Steps = Readonly<Record<string, readonly object[]>>;
const answer = (result: object): readonly object[] => [{ send: { id: '$id', result } }];
const handshake = (sessionCapabilities: object, more: object = {}): readonly object[] =>
  answer({ protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities, ...more } });

function puppet(script: Steps, more: Partial<AgentStart> = {}): AgentStart {
  return startOf(PUPPET, { ...more, environment: { PUPPET: JSON.stringify(script) } });
}

const update = (body: object): object => ({
  send: { method: 'session/update', params: { sessionId: 's1', update: body } },
});
const words = (sessionUpdate: string, text: string): object =>
  update({ sessionUpdate, content: { type: 'text', text } });

test('A40 reads the list page by page, without invalid rows, with numeric times', async () => {
  const first = [
    { sessionId: 'a', cwd: '/p', title: ' One ', updatedAt: '2026-01-02T03:04:05.000Z' },
    { sessionId: 'b', cwd: '/p', title: null, updatedAt: 'no time' },
    { title: 'nameless' },
    'nonsense',
  ];
  const live = await startLive(
    puppet({
      initialize: handshake({ list: {} }),
      'session/list': [
        {
          become: {
            'session/list': answer({ sessions: [{ sessionId: 'c', cwd: '/p' }, { sessionId: 'a' }] }),
          },
        },
        ...answer({ sessions: first, nextCursor: 'more' }),
      ],
    }),
  );
  const listed = await live.agent.sessions?.();
  expect(listed?.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(listed?.[1]).toEqual({ id: 'b', directory: '/p' });
  const asked = live.sink.written.filter(({ method }) => method === 'session/list');
  expect(asked.map(({ params }) => params)).toMatchObject([{ cwd: expect.any(String) }, { cursor: 'more' }]);
  expect(live.sink.entries).toEqual([]);
  await live.end();
});

test('A40 stops an endless list, and treats a failing one as empty', async () => {
  const endless = await startLive(
    puppet({
      initialize: handshake({ list: {} }),
      'session/list': answer({ sessions: [{ sessionId: 'a', cwd: '/p' }], nextCursor: 'again' }),
    }),
  );
  expect(await endless.agent.sessions?.()).toHaveLength(1);
  await endless.end();
  const failing = await startLive(puppet({ initialize: handshake({ list: {} }) }));
  expect(await failing.agent.sessions?.()).toEqual([]);
  await failing.end();
  const unable = await startLive(puppet({ initialize: handshake({}) }));
  expect(await unable.agent.sessions?.()).toEqual([]);
  expect(unable.sink.calls).not.toContain('session/list');
  await unable.end();
});

test('A40 an agent that exits before answering leaves no pending call', async () => {
  const live = await startLive(puppet({ initialize: handshake({ list: {} }), 'session/list': [] }));
  const listed = live.agent.sessions?.();
  await live.end();
  expect(await listed).toEqual([]);
  expect(await live.agent.control?.('rename', { title: 'x' })).toMatchObject({ ok: false });
});

test('A42 loads and replays a session that only the agent has; later it only resumes', async () => {
  const history = [
    words('user_message_chunk', 'The question'),
    words('agent_thought_chunk', 'Hm.'),
    words('agent_message_chunk', 'The '),
    words('agent_message_chunk', 'answer'),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      title: 'ls',
      kind: 'execute',
      status: 'in_progress',
    }),
  ];
  const script = {
    initialize: handshake({ resume: {} }),
    'session/load': [...history, ...answer({})],
    'session/resume': answer({}),
    'session/prompt': [words('agent_message_chunk', 'And now'), ...answer({ stopReason: 'end_turn' })],
  };
  const loaded = await startLive(
    puppet(script, { session: { kind: 'resume', id: 's1', replayHistory: true } }),
  );
  expect(loaded.sink.calls.slice(0, 2)).toEqual(['initialize', 'session/load']);
  await loaded.turn('go on');
  expect(
    loaded.sink.entries.map((entry) => [entry.kind, entry.status, 'text' in entry ? entry.text : '']),
  ).toEqual([
    ['user', 'complete', 'The question'],
    ['thinking', 'complete', 'Hm.'],
    ['text', 'complete', 'The answer'],
    ['tool', 'cancelled', ''],
    ['user', 'complete', 'go on'],
    ['text', 'complete', 'And now'],
  ]);
  await loaded.end();
  const silent = await startLive(puppet(script, { session: { kind: 'resume', id: 's1' } }));
  expect(silent.sink.calls.slice(0, 2)).toEqual(['initialize', 'session/resume']);
  expect(silent.sink.entries).toEqual([]);
  await silent.end();
});

test('A20 offers only the session and account controls that the agent supports', async () => {
  const auth = { auth: { logout: {} } };
  const live = await startLive(
    puppet({
      initialize: handshake({ title: {}, delete: {} }, auth),
      'session/set_title': answer({}),
      'session/delete': [{ send: { id: '$id', error: { code: -32002, message: 'no such session' } } }],
      logout: answer({}),
    }),
  );
  const { control } = live.agent;
  if (!control) throw new Error('no controls');
  const ask = control.bind(live.agent);
  expect(live.sink.state.facts.controls).toEqual(['rename', 'session.delete', 'sign-out']);
  expect(await ask('rename', { title: 'New name' })).toMatchObject({ ok: true });
  expect(await ask('session.delete', { session: 'old' })).toEqual({ ok: false, text: 'no such session' });
  expect(await ask('sign-out', {})).toMatchObject({ ok: true, text: 'Signed out.' });
  // The open session, an invalid input, a name of the prototype.
  expect(await ask('session.delete', { session: 's1' })).toMatchObject({ ok: false });
  expect(await ask('rename', { title: '' })).toMatchObject({ ok: false });
  expect(await ask('toString', {})).toMatchObject({ ok: false });
  const calls = live.sink.written.filter(({ method }) => /title|delete|logout/.test(String(method)));
  expect(calls.map(({ method, params }) => [method, params])).toEqual([
    ['session/set_title', { sessionId: 's1', title: 'New name' }],
    ['session/delete', { sessionId: 'old' }],
    ['logout', {}],
  ]);
  await live.end();
  const plain = await startLive(puppet({ initialize: handshake({}) }));
  expect(plain.sink.state.facts.controls).toEqual([]);
  await plain.end();
});
