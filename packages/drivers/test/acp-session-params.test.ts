import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sessionParams, withoutSecrets } from '../src/acp/session-params.ts';
import type { AgentStart } from '../src/kit/port.ts';
import { emptyDirectory, PUPPET, startLive, startOf } from './acp-live.ts';

const mcpServers: AgentStart['mcpServers'] = {
  local: { command: '/bin/server', args: ['-x'], env: { KEY: 'secret-value' } },
  web: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'secret-value' } },
  old: { type: 'sse', url: 'https://example.com/sse' },
};
const words = {
  local: {
    name: 'local',
    command: '/bin/server',
    args: ['-x'],
    env: [{ name: 'KEY', value: 'secret-value' }],
  },
  web: {
    type: 'http',
    name: 'web',
    url: 'https://example.com/mcp',
    headers: [{ name: 'Authorization', value: 'secret-value' }],
  },
};

const able = {
  agentCapabilities: {
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { additionalDirectories: {}, resume: {} },
  },
};

function start(more: Partial<AgentStart> = {}): AgentStart {
  return startOf(PUPPET, { mcpServers, directories: ['/extra'], ...more });
}

test("A16 sends servers and directories in the protocol's format, as far as supported", () => {
  expect(sessionParams(start({ directory: '/p' }), able)).toEqual({
    params: { cwd: '/p', mcpServers: [words.local, words.web], additionalDirectories: ['/extra'] },
    leftOut: ['The agent doesn’t support MCP servers over sse, so old is left out.'],
  });
  const { params, leftOut } = sessionParams(start({ directory: '/p' }), {});
  expect(params).toEqual({ cwd: '/p', mcpServers: [words.local] });
  expect(leftOut).toHaveLength(3);
  expect(leftOut.at(-1)).toContain('/extra');
});

const initialize = [{ send: { id: '$id', result: { protocolVersion: 1, ...able } } }];
const environment = (script: object) => ({ PUPPET: JSON.stringify({ initialize, ...script }) });

test('A16 a new session reports once what was omitted; a resumed one sends the same silently', async () => {
  const fresh = await startLive(start({ environment: environment({}) }));
  const created = fresh.sink.written.find(({ method }) => method === 'session/new');
  expect(created?.params).toMatchObject({ additionalDirectories: ['/extra'] });
  expect(fresh.sink.entries.map((entry) => entry.kind === 'notice' && entry.text)).toEqual([
    'The agent doesn’t support MCP servers over sse, so old is left out.',
  ]);
  await fresh.end();
  const resumed = await startLive(
    start({
      session: { kind: 'resume', id: 's1' },
      environment: environment({ 'session/resume': [{ send: { id: '$id', result: {} } }] }),
    }),
  );
  const again = resumed.sink.written.find(({ method }) => method === 'session/resume');
  expect(again?.params).toMatchObject({
    sessionId: 's1',
    mcpServers: [{ name: 'local' }, { name: 'web' }],
    additionalDirectories: ['/extra'],
  });
  expect(resumed.sink.entries).toEqual([]);
  await resumed.end();
});

test("X3 the agent receives the servers' keys, the recording does not", async () => {
  const live = await startLive(start({ environment: environment({}) }));
  expect(JSON.stringify(live.sink.written)).not.toContain('secret-value');
  expect(JSON.stringify(live.sink.written)).toContain('(hidden)');
  // The puppet writes received messages to stderr.
  await live.end();
  expect(live.sink.exit?.stderr).toContain('secret-value');
  const prompt = '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"env":[{"value":"kept"}]}}';
  expect(withoutSecrets(prompt)).toBe(prompt);
});

test('X33 allows an extra directory; a removed one does no harm', async () => {
  const [directory, extra] = [emptyDirectory(), emptyDirectory()];
  const write = (id: number, path: string) => ({
    send: { id, method: 'fs/write_text_file', params: { sessionId: 's1', path, content: 'x' } },
  });
  const script = {
    'session/prompt': [
      write(0, `${extra}/a.txt`),
      { wait: 0 },
      write(1, `${directory}/b.txt`),
      { wait: 1 },
      { send: { id: '$id', result: { stopReason: 'end_turn' } } },
    ],
  };
  const live = await startLive(
    start({ directory, directories: ['/gone-since', extra], environment: environment(script) }),
  );
  await live.turn('go');
  expect(readFileSync(`${extra}/a.txt`, 'utf8')).toBe('x');
  expect(readFileSync(`${directory}/b.txt`, 'utf8')).toBe('x');
  await live.end();
});
