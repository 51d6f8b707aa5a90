import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentChoices } from '../src/agents/agent-choices.ts';
import { agentSettings } from '../src/agents/agent-settings.ts';
import { type Configuration, configurationSchema } from '../src/configuration.ts';

const PATH = process.env.PATH ?? '';
const node = process.execPath;

const configuration: Configuration = configurationSchema.parse({
  directories: ['/everywhere'],
  mcpServers: { notes: { command: 'node', args: ['notes'] }, both: { command: 'node', args: ['user'] } },
  agents: {
    own: {
      command: 'node',
      args: ['agent.mjs'],
      env: { A: '1', B: '1' },
      directories: ['/mine'],
      mcpServers: { web: { type: 'http', url: 'https://example.com/mcp', headers: { Key: 'k' } } },
    },
    gemini: { command: node, mode: 'plan' },
  },
  projects: {
    '/work': {
      directories: ['/everywhere', '/near'],
      mcpServers: { both: { command: '/not/there' } },
      agents: { own: { env: { B: '2' }, model: 'small' } },
    },
  },
});

test('A16 more specific settings win; variables and servers are merged, directories are concatenated', () => {
  expect(agentSettings(configuration, 'own', '/work')).toMatchObject({
    command: 'node',
    args: ['agent.mjs'],
    env: { A: '1', B: '2' },
    model: 'small',
    directories: ['/everywhere', '/mine', '/near'],
  });
  expect(agentSettings(configuration, 'own', '/elsewhere')).toMatchObject({
    env: { A: '1', B: '1' },
    directories: ['/everywhere', '/mine'],
  });
});

test('A16 a launch has absolute paths for servers; missing ones are left to the agent', () => {
  const choices = new AgentChoices(configuration);
  const { mcpServers, model } = choices.launch('own', { PATH }, '/work');
  expect(model).toBe('small');
  expect(mcpServers).toEqual({
    notes: { command: expect.stringMatching(/^\/.*node$/), args: ['notes'] },
    both: { command: '/not/there' },
    web: { type: 'http', url: 'https://example.com/mcp', headers: { Key: 'k' } },
  });
  expect(choices.launch('gemini', { PATH }, '/work')).toMatchObject({
    mode: 'plan',
    args: ['--acp'],
    directories: ['/everywhere', '/near'],
    startTimeoutMs: expect.any(Number),
  });
});

test('A23 one line with a command adds an agent that uses ACP', () => {
  const choices = new AgentChoices({ agents: { mine: { command: node, args: ['mine.mjs'] } } });
  expect(choices.list({ PATH })).toContainEqual(
    expect.objectContaining({ name: 'mine', label: 'mine', installed: true }),
  );
  expect(choices.launch('mine', { PATH })).toMatchObject({ protocol: 'acp', args: ['mine.mjs'] });
  expect(new AgentChoices({ agents: { mine: { label: 'No command' } } }).has('mine')).toBe(false);
});

test.each([
  { mcpServers: { 'a b': { command: 'x' } } },
  { mcpServers: { a: { url: 'https://example.com' } } },
  { mcpServers: { a: { type: 'http', url: 'file:///etc/passwd' } } },
  { directories: ['relative'] },
  { projects: { relative: {} } },
  { projects: { '/work': { port: 1 } } },
])('S2 an invalid configuration is refused: %j', (wrong) => {
  expect(configurationSchema.safeParse(wrong).success).toBe(false);
});

test('L7 the default agent is the first installed one, otherwise the bundled one', () => {
  const nowhere = { PATH: '/nowhere' };
  const demo = { demo: '/demo.mjs' };
  expect(new AgentChoices({}, demo).defaultIn(nowhere)).toBe('demo');
  const own = { agents: { own: { command: node } } };
  expect(new AgentChoices(own, demo).defaultIn(nowhere)).toBe('own');
  expect(new AgentChoices({ ...own, agent: 'gemini' }, demo).defaultIn(nowhere)).toBe('gemini');
});

test('A40 a session is resumed by its own agent, or by an installed one that shares its sessions', () => {
  const nowhere = { PATH: '' };
  const bridge = { 'claude-acp': { command: process.execPath } };
  const both = { ...bridge, claude: { command: process.execPath } };
  expect(new AgentChoices({ agents: both }).resumingAgent('claude', nowhere)).toBe('claude');
  expect(new AgentChoices({ agents: bridge }).resumingAgent('claude', nowhere)).toBe('claude-acp');
  expect(new AgentChoices({}).resumingAgent('claude', nowhere)).toBe('claude');
  expect(new AgentChoices({ agents: bridge }).resumingAgent('codex', nowhere)).toBe('codex');
});

test('A51 a name means its own program, or the earlier adapter if only that is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tugdeck-choices-'));
  const program = (name: string): string => {
    const file = join(folder, name);
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  };
  try {
    const environment = { PATH: folder };
    const launch = (agents: Configuration['agents'] = {}, name = 'codex') =>
      new AgentChoices({ agents }).launch(name, environment);
    const adapter = program('codex-acp');
    const before = { name: 'codex', label: 'Codex', protocol: 'acp', command: adapter, args: [] };
    expect(launch()).toMatchObject({ ...before, env: { INITIAL_AGENT_MODE: 'read-only' } });
    expect(new AgentChoices({}).list(environment)).toContainEqual(
      expect.objectContaining({ name: 'codex', installed: true, detail: adapter }),
    );
    const own = program('codex');
    const now = {
      name: 'codex',
      protocol: 'app-server',
      command: own,
      args: ['app-server'],
      mode: 'read-only',
    };
    expect(launch()).toMatchObject({ ...now, env: {} });
    expect(launch({}, 'codex-acp')).toMatchObject({ name: 'codex-acp', protocol: 'acp', command: adapter });
    // Settings that do not name a program apply to both; the others were written for the adapter.
    expect(launch({ codex: { model: 'm', env: { A: '1' } } })).toMatchObject({
      ...now,
      model: 'm',
      env: { A: '1' },
    });
    expect(launch({ codex: { command: adapter } })).toMatchObject(before);
    expect(launch({ codex: { args: ['--fast'] } })).toMatchObject({ protocol: 'acp', args: ['--fast'] });
    expect(launch({ codex: { command: own } })).toMatchObject(now);
    expect(launch({ codex: { args: ['-c', 'x=1'], protocol: 'app-server' } })).toMatchObject({
      protocol: 'app-server',
      args: ['app-server', '-c', 'x=1'],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
