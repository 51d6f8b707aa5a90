import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { describe, expect, test } from 'vitest';
import { acpDriver } from '../src/acp/driver.ts';
import { Files } from '../src/acp/files.ts';
import { Terminals } from '../src/acp/terminals.ts';
import type { Outcome } from '../src/kit/peer.ts';
import type { AgentStart } from '../src/kit/port.ts';
import { emptyDirectory, LiveSink, PUPPET, startLive, startOf } from './acp-live.ts';

type Steps = Readonly<Record<string, readonly object[]>>;

function puppet(script: Steps, more: Partial<AgentStart> = {}): AgentStart {
  return startOf(PUPPET, { ...more, environment: { PUPPET: JSON.stringify(script) } });
}

const initialize = (result: object): readonly object[] => [
  { send: { id: '$id', result: { protocolVersion: 1, ...result } } },
];
const update = (body: object): object => ({
  send: { method: 'session/update', params: { sessionId: 's1', update: body } },
});
const text = (words: string): object =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
const permission = (id: number | string): object => ({
  send: {
    id,
    method: 'session/request_permission',
    params: {
      sessionId: 's1',
      toolCall: { toolCallId: `tool-${id}`, title: 'Do it', kind: 'execute' },
      options: [
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
        { optionId: 'never', name: 'Never', kind: 'reject_once' },
      ],
    },
  },
});
const done = (stopReason: string): object => ({ send: { id: '$id', result: { stopReason } } });

/** Runs an agent that never becomes ready until it exits. */
async function untilExit(start: AgentStart): Promise<LiveSink> {
  const sink = new LiveSink();
  acpDriver.start(start, sink);
  await sink.until('its exit', ({ exit }) => exit !== undefined);
  expect(sink.breaches).toEqual([]);
  return sink;
}

const answersOf = (sink: LiveSink): unknown[] =>
  sink.written.flatMap(({ id, method, result, error }) => (method ? [] : [{ id, result, error }]));

describe('the handshake', () => {
  test('A20 requests version 1 and rejects another with a message', async () => {
    const sink = await untilExit(puppet({ initialize: initialize({ protocolVersion: 2 }) }));
    expect(sink.exit?.failure).toContain('version 2');
    expect(sink.exit?.fatal).toContain('version 2');
    expect(sink.written[0]).toMatchObject({
      params: { protocolVersion: 1, clientInfo: { name: 'tugdeck' } },
    });
    expect(sink.isReady).toBe(false);
  });

  test('A20 new sessions state their directory and an empty server list', async () => {
    const live = await startLive(puppet({}));
    const created = live.sink.written.find(({ method }) => method === 'session/new');
    expect(created?.params).toMatchObject({ mcpServers: [] });
    await live.end();
    expect(live.sink.calls).not.toContain('session/close');
  });

  test("L8 sends the agent's own shutdown message if it has one", async () => {
    const capabilities = { agentCapabilities: { sessionCapabilities: { close: {} } } };
    const live = await startLive(puppet({ initialize: initialize(capabilities) }));
    await live.end();
    expect(live.sink.calls.at(-1)).toBe('session/close');
  });

  test('A20 offers sign-in methods as a form and never sends terminal methods', async () => {
    const authMethods = [
      { id: 'term', name: 'In a terminal', type: 'terminal', description: 'Run login' },
      { id: 'env', name: 'By variable', type: 'env_var', vars: [{ name: 'KEY' }] },
      { id: 'web', name: 'By browser' },
    ];
    const live = await startLive(
      puppet({
        initialize: initialize({ authMethods }),
        'session/new': [{ send: { id: '$id', error: { code: -32000, message: 'Authentication required' } } }],
        authenticate: [{ send: { id: '$id', error: { code: -32603, message: 'wrong key' } } }],
      }),
    );
    const form = await live.request();
    expect(form).toMatchObject({ kind: 'form', request: { title: 'Sign in' } });
    expect(JSON.stringify(form.kind === 'form' && form.request.schema)).not.toContain('"term"');
    live.send('too early');
    expect(live.sink.entries.at(-1)).toMatchObject({ kind: 'user', delivery: 'failed' });
    live.reply(form, { type: 'form', action: 'accept', content: { method: 'term' } });
    expect(live.sink.calls).not.toContain('authenticate');
    live.send('still too early');
    const again = await live.request();
    live.reply(again, { type: 'form', action: 'accept', content: { method: 'web' } });
    await live.sink.until('the refusal', ({ state }) => state.nextSeq > again.seq + 1);
    expect(live.sink.entries.find(({ kind }) => kind === 'notice')).toMatchObject({
      text: 'Signing in failed: wrong key',
    });
    await live.end();
  });

  test('A20 an answered prompt withdraws the sign-in request', async () => {
    const refused = { send: { id: '$id', error: { code: -32000, message: 'Authentication required' } } };
    const live = await startLive(
      puppet({
        initialize: initialize({ authMethods: [{ id: 'key', name: 'Key' }] }),
        'session/prompt': [refused, { become: { 'session/prompt': [done('end_turn')] } }],
      }),
    );
    live.send('one');
    await live.request();
    await live.idle();
    live.send('two');
    await live.sink.until('the end of the request', ({ state }) => openEntries(state).length === 0);
    expect(live.sink.entries.find(({ kind }) => kind === 'form')).toMatchObject({
      request: { status: 'withdrawn' },
    });
    await live.end();
  });

  test('A20 opens the session after the sign-in and takes prompts', async () => {
    const granted = { 'session/new': [{ send: { id: '$id', result: { sessionId: 's1' } } }] };
    const live = await startLive(
      puppet({
        initialize: initialize({ authMethods: [{ id: 'web', name: 'By browser' }] }),
        'session/new': [{ send: { id: '$id', error: { code: -32000, message: 'Sign in' } } }],
        authenticate: [{ become: granted }, { send: { id: '$id', result: {} } }],
        'session/prompt': [text('welcome'), done('end_turn')],
      }),
    );
    live.reply(await live.request(), { type: 'form', action: 'accept', content: { method: 'web' } });
    await live.sink.until('the session', ({ state }) => state.facts.agentSession === 's1');
    live.send('hello');
    await live.idle();
    expect(live.sink.entries.at(-1)).toMatchObject({ kind: 'text', text: 'welcome' });
    await live.end();
  });
});

describe('resuming a session', () => {
  const session = { kind: 'resume', id: 's1' } as const;
  const able = (presents: string, sessionCapabilities: object = {}): readonly object[] =>
    initialize({
      agentInfo: { name: presents, version: '1' },
      agentCapabilities: { loadSession: true, sessionCapabilities },
    });
  const granted = [{ send: { id: '$id', result: {} } }];

  test('A20 prefers resume over load and uses load as the fallback', async () => {
    const both = { initialize: able('x', { resume: {} }), 'session/resume': granted };
    const resumed = await startLive(puppet(both, { session }));
    expect(resumed.sink.calls.slice(0, 2)).toEqual(['initialize', 'session/resume']);
    await resumed.end();
    const loaded = await startLive(
      puppet({ initialize: able('x'), 'session/load': [text('history'), ...granted] }, { session }),
    );
    expect(loaded.sink.calls.slice(0, 2)).toEqual(['initialize', 'session/load']);
    expect(loaded.sink.entries).toEqual([]);
    expect(loaded.sink.state.facts.agentSession).toBe('s1');
    await loaded.end();
  });

  test('A6 a fork gets its own id, and its history is not replayed', async () => {
    const other = (words: string): object => ({
      send: {
        method: 'session/update',
        params: {
          sessionId: 's2',
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } },
        },
      },
    });
    const copied = [other('history'), { send: { id: '$id', result: { sessionId: 's2' } } }];
    const script = { initialize: able('x', { fork: {} }), 'session/fork': copied };
    const live = await startLive(puppet(script, { session: { kind: 'fork', id: 's1' } }));
    expect(live.sink.calls).toEqual(['initialize', 'session/fork']);
    expect(live.sink.state.facts.agentSession).toBe('s2');
    expect(live.sink.entries).toEqual([]);
    await live.end();
    const at = { kind: 'fork', id: 's1', at: 'entry' } as const;
    expect((await untilExit(puppet(script, { session: at }))).exit?.unresumable).toBe(true);
  });

  test('A6 continue resumes the newest session of the directory', async () => {
    const sessions = [
      { sessionId: 'old', updatedAt: '2026-01-01T00:00:00Z' },
      { sessionId: 'new', updatedAt: '2026-02-01T00:00:00Z' },
      { sessionId: 'never' },
    ];
    const script = {
      initialize: able('x', { resume: {}, list: {} }),
      'session/list': [{ send: { id: '$id', result: { sessions } } }],
      'session/resume': granted,
    };
    const live = await startLive(puppet(script, { session: { kind: 'continue', id: 'any' } }));
    expect(live.sink.state.facts.agentSession).toBe('new');
    await live.end();
  });

  test('H9 never calls a load that destroys the session', async () => {
    const sink = await untilExit(puppet({ initialize: able('gemini-cli') }, { session }));
    expect(sink.exit?.unresumable).toBe(true);
    expect(sink.calls).toEqual(['initialize']);
  });

  test.each([-32002, -32602, -32603])('H9 reports an unknown session (%i) as not resumable', async (code) => {
    const refused = [{ send: { id: '$id', error: { code, message: 'not found' } } }];
    const sink = await untilExit(
      puppet({ initialize: able('x', { resume: {} }), 'session/resume': refused }, { session }),
    );
    expect(sink.exit?.unresumable).toBe(true);
    expect(sink.isReady).toBe(false);
  });
});

describe('requests', () => {
  test('A22 ids may be 0 or strings, answers go by the id of the option', async () => {
    const live = await startLive(
      puppet({
        'session/prompt': [permission(0), { wait: 0 }, permission('abc'), { wait: 'abc' }, done('end_turn')],
      }),
    );
    const deny = { type: 'permission', behavior: 'deny' } as const;
    const allow = { type: 'permission', behavior: 'allow' } as const;
    const answers = [allow, deny];
    await live.turn('go', () => answers.shift() ?? deny);
    expect(answersOf(live.sink)).toEqual([
      { id: 0, result: { outcome: { outcome: 'selected', optionId: 'once' } } },
      { id: 'abc', result: { outcome: { outcome: 'selected', optionId: 'never' } } },
    ]);
    await live.end();
  });

  test('H8 a cancel answers every open request, because an agent may wait forever', async () => {
    const live = await startLive(
      puppet({
        'session/prompt': [permission(0), permission(1), { wait: 0 }, { wait: 1 }, done('cancelled')],
      }),
    );
    live.send('go');
    await live.sink.until('both', ({ state }) => openEntries(state).length === 4);
    live.agent.cancel();
    await live.idle();
    expect(live.sink.calls.at(-1)).toBe('session/cancel');
    expect(answersOf(live.sink)).toEqual([
      { id: 0, result: { outcome: { outcome: 'cancelled' } } },
      { id: 1, result: { outcome: { outcome: 'cancelled' } } },
    ]);
    expect(openEntries(live.sink.state)).toEqual([]);
    await live.end();
  });

  test('A22 a request that the agent withdraws is closed and answered as canceled', async () => {
    const back = { send: { method: '$/cancel_request', params: { requestId: 0 } } };
    const live = await startLive(
      puppet({ 'session/prompt': [permission(0), back, { wait: 0 }, done('end_turn')] }),
    );
    live.send('go');
    await live.idle();
    expect(answersOf(live.sink)).toMatchObject([{ id: 0, error: { code: -32800 } }]);
    await live.end();
  });

  test('A20 rejects extensions at once; an unknown kind waits for the user', async () => {
    const ask = (id: number, method: string): object => ({
      send: { id, method, params: { sessionId: 's1', what: 1 } },
    });
    const live = await startLive(
      puppet({
        'session/prompt': [
          ask(0, '_vendor/x'),
          { wait: 0 },
          ask(1, 'session/y'),
          { wait: 1 },
          done('end_turn'),
        ],
      }),
    );
    await live.turn('go', () => ({ type: 'form', action: 'accept', content: { ok: true } }));
    expect(answersOf(live.sink)).toMatchObject([
      { id: 0, error: { code: -32601 } },
      { id: 1, result: { ok: true } },
    ]);
    await live.end();
  });

  test('A2 counts lines that are not JSON, and the session continues', async () => {
    const live = await startLive(
      puppet({ 'session/prompt': [{ raw: 'debug: hello' }, { raw: '[]' }, text('fine'), done('end_turn')] }),
    );
    live.send('go');
    await live.idle();
    expect(live.sink.state.unrecognized.count).toBe(2);
    expect(live.sink.entries.at(-1)).toMatchObject({ kind: 'text', text: 'fine' });
    await live.end();
  });

  test('A2 counts a line that is nested too deeply, and loses none that arrive with it', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const live = await startLive(
      puppet({ 'session/prompt': [{ raw: deep }, text('first '), text('and last'), done('end_turn')] }),
    );
    live.send('go');
    await live.idle();
    expect(live.sink.state.unrecognized.count).toBe(1);
    expect(live.sink.entries.at(-1)).toMatchObject({ kind: 'text', text: 'first and last' });
    await live.end();
  });
});

describe('files served to the agent', () => {
  const read = (path: string): object => ({
    send: { id: 0, method: 'fs/read_text_file', params: { sessionId: 's1', path } },
  });

  test('A22 reports a missing file, except for an agent that needs it to be empty', async () => {
    for (const [name, answer] of [
      ['x', { error: { code: -32002 } }],
      ['gemini-cli', { result: { content: '' } }],
    ] as const) {
      const directory = emptyDirectory();
      const script = {
        initialize: initialize({ agentInfo: { name, version: '1' } }),
        'session/prompt': [read(join(directory, 'none.txt')), { wait: 0 }, done('end_turn')],
      };
      const live = await startLive(puppet(script, { directory }));
      live.send('go');
      await live.idle();
      expect(answersOf(live.sink)).toMatchObject([answer]);
      await live.end();
    }
  });

  test('X33 a folder replaced by a link to outside while it is opened leads nowhere', async () => {
    const outside = emptyDirectory();
    const root = emptyDirectory();
    writeFileSync(join(outside, 'here'), 'secret');
    const [folder, link, aside] = ['folder', 'link', 'aside'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(folder);
    symlinkSync(outside, link);
    const files = new Files({ roots: [root], maxBytes: 100, missingIsEmpty: () => true });
    // A write recreates its folder while it is missing.
    const move = (from: string, to: string): void => {
      rmSync(to, { recursive: true, force: true });
      try {
        renameSync(from, to);
      } catch (error) {
        if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? ''))
          throw error;
        move(from, to);
      }
    };
    let isDone = false;
    const swapping = (async () => {
      while (!isDone) {
        renameSync(folder, aside);
        move(link, folder);
        await new Promise(setImmediate);
        renameSync(folder, link);
        move(aside, folder);
        await new Promise(setImmediate);
      }
    })();
    const results: unknown[] = [];
    for (let at = 0; at < 400; at++) {
      await files.write({ path: join(folder, `new-${at}`), content: 'x' });
      results.push((await files.read({ path: join(folder, 'here') })).result);
    }
    isDone = true;
    await swapping;
    expect(readdirSync(outside)).toEqual(['here']);
    expect(JSON.stringify(results)).not.toContain('secret');
  });

  test('X33 reads and writes nothing outside the project, through any link', async () => {
    const outside = emptyDirectory();
    const root = emptyDirectory();
    const extra = emptyDirectory();
    writeFileSync(join(outside, 'secret'), 'secret');
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\n');
    symlinkSync(outside, join(root, 'link'));
    symlinkSync(join(outside, 'secret'), join(root, 'file-link'));
    symlinkSync(join(outside, 'not-yet'), join(root, 'dangling'));
    symlinkSync(join(root, 'a.txt'), join(root, 'inner'));
    mkdirSync(join(root, 'sub'));
    const files = new Files({ roots: [root, extra], maxBytes: 100, missingIsEmpty: () => true });
    for (const path of [
      join(outside, 'secret'),
      join(root, 'link', 'secret'),
      join(root, 'file-link'),
      join(root, 'sub', '..', '..', 'x'),
      'a.txt',
      `${root}/a\0.txt`,
    ]) {
      expect((await files.read({ path })).error?.code).toBe(-32602);
      expect((await files.write({ path, content: 'x' })).error?.code).toBe(-32602);
    }
    for (const path of [join(root, 'dangling'), join(root, 'dangling', 'x')]) {
      expect((await files.write({ path, content: 'x' })).error).toBeDefined();
    }
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect((await files.read({ path: join(root, 'pipe') })).error).toBeDefined();
    expect((await files.write({ path: join(root, 'pipe'), content: 'x' })).error).toBeDefined();
    expect((await files.read({ path: root })).error).toBeDefined();
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(() => readFileSync(join(outside, 'not-yet'))).toThrow();
    expect(await files.read({ path: join(root, 'inner'), line: 2, limit: 1 })).toEqual({
      result: { content: 'two' },
    });
    expect(await files.write({ path: join(extra, 'new', 'b.txt'), content: 'b' })).toEqual({ result: {} });
    expect(readFileSync(join(extra, 'new', 'b.txt'), 'utf8')).toBe('b');
    expect((await files.write({ path: join(root, 'c'), content: 'x'.repeat(101) })).error).toBeDefined();
  });
});

describe('terminals run for the agent', () => {
  function terminals(maxBytes = 1000): {
    call: (method: string, params: object) => Promise<Outcome>;
    all: Terminals;
  } {
    const directory = emptyDirectory();
    const environment = { PATH: process.env.PATH ?? '' };
    const all = new Terminals({ directory, environment, maxBytes, maxTerminals: 2, output: () => undefined });
    return {
      all,
      call: (method, params) => new Promise((resolve) => all.call(`terminal/${method}`, params, resolve)),
    };
  }
  const sh = (script: string): object => ({ command: '/bin/sh', args: ['-c', script] });

  test('A22 runs a command, limits its output and reports its exit', async () => {
    const { call } = terminals();
    const env = [{ name: 'WORD', value: 'ä' }];
    const created = await call('create', {
      ...sh('printf "%s" "$WORD$WORD$WORD"; exit 4'),
      env,
      outputByteLimit: 3,
    });
    const { terminalId } = created.result as { terminalId: string };
    expect((await call('wait_for_exit', { terminalId })).result).toEqual({ exitCode: 4, signal: null });
    expect((await call('output', { terminalId })).result).toEqual({
      output: 'ä',
      truncated: true,
      exitStatus: { exitCode: 4, signal: null },
    });
    expect(await call('release', { terminalId })).toEqual({ result: {} });
    expect((await call('output', { terminalId })).error?.code).toBe(-32002);
  });

  test('A22 commands can be ended, and all end with the agent', async () => {
    const { call, all } = terminals();
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const created = await call('create', sh('sleep 600'));
      ids.push((created.result as { terminalId: string }).terminalId);
    }
    expect((await call('create', sh('true'))).error).toBeDefined();
    const [first, second] = ids.map((terminalId) => call('wait_for_exit', { terminalId }));
    await call('kill', { terminalId: ids[0] });
    expect((await first)?.result).toEqual({ exitCode: null, signal: 'SIGKILL' });
    all.endAll();
    expect((await second)?.result).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('A22 a missing program exits with 127', async () => {
    const { call } = terminals();
    const created = await call('create', { command: '/nonexistent' });
    const { terminalId } = created.result as { terminalId: string };
    expect((await call('wait_for_exit', { terminalId })).result).toMatchObject({ exitCode: 127 });
  });

  test('A22 rejects commands that cannot be spawned, without ending the driver', async () => {
    const { call } = terminals();
    const nul = 'a\u0000b';
    for (const params of [
      { command: nul },
      { command: '' },
      { command: 'true', args: [nul] },
      { command: 'true', cwd: nul },
      { command: 'true', env: [{ name: 'A', value: nul }] },
    ])
      expect((await call('create', params)).error).toBeDefined();
  });

  test('A21 shows terminal output in the tool that names the terminal', async () => {
    const create = {
      send: { id: 0, method: 'terminal/create', params: { sessionId: 's1', ...sh('echo shown') } },
    };
    const tool = { toolCallId: 't', title: 'x', kind: 'execute', status: 'in_progress' };
    const content = [{ type: 'terminal', terminalId: 'terminal-1' }];
    const wait = {
      send: {
        id: 1,
        method: 'terminal/wait_for_exit',
        params: { sessionId: 's1', terminalId: 'terminal-1' },
      },
    };
    const live = await startLive(
      puppet({
        'session/prompt': [
          update({ sessionUpdate: 'tool_call', ...tool, content }),
          ...[create, { wait: 0 }, wait, { wait: 1 }],
          update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }),
          done('end_turn'),
        ],
      }),
    );
    live.send(randomUUID());
    await live.idle();
    expect(live.sink.entries.find(({ kind }) => kind === 'tool')).toMatchObject({
      output: 'shown\n',
      state: 'done',
      result: { type: 'terminal', stdout: 'shown\n' },
    });
    await live.end();
  });
});
